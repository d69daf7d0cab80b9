const CONTENT_TYPES: { readonly [ending: string]: string } = {
  md: "text/markdown",
  txt: "text/plain",
  csv: "text/csv",
  html: "text/html",
  ics: "text/calendar",
  json: "application/json",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  pdf: "application/pdf",
  zip: "application/zip",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  mp4: "video/mp4",
  webm: "video/webm",
};

/**
 * Returns the media type of a file by the extension of its path; `application/octet-stream` for an unknown
 * extension.
 *
 * @example
 * ```ts
 * import { contentTypeOf } from "@pawl/core/store";
 *
 * console.log(contentTypeOf("ada/plan.PDF")); // application/pdf
 * ```
 */
// The type is not stored with the file: a stored type could get lost, or be chosen by the content's author.
export function contentTypeOf(path: string): string {
  const extension = /[^/]\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(CONTENT_TYPES, extension) ? (CONTENT_TYPES[extension] ?? UNKNOWN_TYPE) : UNKNOWN_TYPE;
}

const UNKNOWN_TYPE = "application/octet-stream";
