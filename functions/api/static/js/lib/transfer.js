// Large files on their way, with progress: to the application, or to the bucket that it names.

/** Sends `file` as the API's answer says: raw bytes, or a form with fields (a presigned POST). Resolves to the text of the
 * answer. */
export const transfer = async (file, place, progress) => (await send(file, place, progress)).responseText;

/** A part of a file: resolves to the `ETag` that the bucket answers. */
export const transferPart = async (part, place, progress) => (await send(part, place, progress)).getResponseHeader("ETag");

function send(file, place, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(place.method, place.url);
    for (const [name, value] of Object.entries(place.headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(event.loaded, event.total);
    request.onload = () => (request.status < 300 ? resolve(request) : reject(refusal(request)));
    request.onerror = () =>
      reject(new Error("The connection broke while the file was being sent. Nothing was stored; send it again."));
    request.send(bodyOf(file, place));
  });
}

function bodyOf(file, { fields }) {
  if (!fields || Object.keys(fields).length === 0) return file;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  return form;
}

function refusal(request) {
  try {
    const problem = JSON.parse(request.responseText);
    return new Error(problem.detail || problem.title);
  } catch {
    return new Error(`The file was refused (${request.status}). Nothing was stored.`);
  }
}
