// What was dropped, as files with the paths by which they stand in their folder. One that cannot be read keeps no other.

const hidden = (name) => name.startsWith(".") || name.startsWith("~$") || name === "__MACOSX" || name === "Thumbs.db" || name === "desktop.ini";

/** All entries of a folder: a browser gives at most a hundred at once. */
async function entriesOf(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...some);
  }
}

async function walk(entry, before, found) {
  const path = before + entry.name;
  try {
    if (entry.isFile) found.push({ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), path });
    else await walkInside(entry, `${path}/`, found);
  } catch (error) {
    found.push({ file: null, path, error: `Your browser could not read it (${error.name}). Check that it is still there and that you may open it, and drop it again.` });
  }
}

async function walkInside(folder, before, found) {
  for (const inside of await entriesOf(folder)) if (!hidden(inside.name)) await walk(inside, before, found);
}

/** The dropped files: `{file, path}`; the path is null of those that were dropped by themselves. A single folder's own
 * name is no part of its paths. What cannot be read is `{file: null, path, error}`. To be called while the drop is handled: the browser forgets it afterwards. */
export function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) {
    return Promise.resolve([...transfer.files].map((file) => ({ file, path: null })));
  }
  return readFolders(entries);
}

async function readFolders(entries) {
  const found = [];
  for (const entry of entries) {
    if (entries.length === 1) await walkInside(entry, "", found);
    else await walk(entry, "", found);
  }
  return found.map((one) => ({ ...one, path: one.path === one.file?.name ? null : one.path }));
}

/** The files of a folder that was chosen, as those of one that was dropped. */
export function chosenFiles(files) {
  return [...files]
    .map((file) => ({ file, parts: file.webkitRelativePath.split("/").slice(1) }))
    .filter(({ parts }) => !parts.some(hidden))
    .map(({ file, parts }) => ({ file, path: parts.length > 1 ? parts.join("/") : null }));
}
