// What was dropped, as files with the paths by which they stand in their folder.

const hidden = (name) => name.startsWith(".") || name === "__MACOSX" || name === "Thumbs.db" || name === "desktop.ini";

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
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ file, path });
    return;
  }
  for (const inside of await entriesOf(entry)) if (!hidden(inside.name)) await walk(inside, `${path}/`, found);
}

/** The dropped files: `{file, path}`; the path is null of those that were dropped by themselves. A single folder's own
 * name is no part of its paths. To be called while the drop is handled: the browser forgets it afterwards. */
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
    if (entries.length === 1) {
      for (const inside of await entriesOf(entry)) if (!hidden(inside.name)) await walk(inside, "", found);
    } else await walk(entry, "", found);
  }
  return found.map(({ file, path }) => ({ file, path: path === file.name ? null : path }));
}

/** The files of a folder that was chosen, as those of one that was dropped. */
export function chosenFiles(files) {
  return [...files]
    .map((file) => ({ file, parts: file.webkitRelativePath.split("/").slice(1) }))
    .filter(({ parts }) => !parts.some(hidden))
    .map(({ file, parts }) => ({ file, path: parts.length > 1 ? parts.join("/") : null }));
}
