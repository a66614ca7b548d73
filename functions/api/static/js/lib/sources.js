// What kinds of sources can be shown as.

/** Whether a source of this type has pages to be seen; others are shown as text. */
export const hasPages = (type) => type === "pdf" || type === "image";
