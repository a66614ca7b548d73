// Files from the person to the server: dropped anywhere on the page; each hashed, announced, and sent with progress.

import { post } from "../lib/api.js";
import { bytes } from "../lib/format.js";
import { sha256 } from "../lib/sha256.js";
import { transfer } from "../lib/transfer.js";
import { droppedFiles } from "./folders.js";

const MAX_BYTES = 512 * 1024 ** 2;

/** Why `file` need not be sent at all; null where it may be. */
function unfit(file) {
  if (file.size === 0) return "It is empty (0 bytes). Check that it was saved or downloaded completely.";
  if (file.size > MAX_BYTES) return `It has ${bytes(file.size)}; the limit is ${bytes(MAX_BYTES)}. Split it, or remove embedded media.`;
  return null;
}

/** Uploads and returns the ingestion's id; on failure `entry` says why and null is returned. `path` says where the file
 * stands in the folder that it came with. */
export async function upload({ file, path, error: unread }, knowledgeBaseId, entry) {
  const reason = unread ?? unfit(file);
  if (reason) {
    entry.fail(reason);
    return null;
  }
  try {
    const body = {
      filename: file.name,
      ...(path ? { path } : {}),
      size: file.size,
      sha256: await sha256(file, (read) => entry.say(`reading ${bytes(read)} of ${bytes(file.size)}`)),
      knowledge_base_id: knowledgeBaseId,
    };
    const place = await post("/v1/uploads", body);
    await transfer(file, place, (sent, total) => entry.say(`sending ${bytes(sent)} of ${bytes(total)}`));
    entry.say("sent, waiting for a worker");
    return place.upload_id;
  } catch (error) {
    entry.fail(error.detail || error.message);
    return null;
  }
}

/** Calls `take` with the files of each drop, those of folders among them; `veil` shows only while files are over the window. */
export function acceptDrops(veil, take, refuse) {
  let depth = 0;
  const files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (yes) => {
    veil.hidden = !yes;
  };
  addEventListener("dragenter", (event) => {
    if (files(event)) {
      depth += 1;
      show(true);
    }
  });
  addEventListener("dragleave", (event) => {
    if (files(event)) {
      depth -= 1;
      show(depth > 0);
    }
  });
  addEventListener("dragover", (event) => {
    if (files(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    depth = 0;
    show(false);
    droppedFiles(event.dataTransfer).then(take, refuse);
  });
}
