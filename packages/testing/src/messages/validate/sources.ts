import { anything, type Check, objectWith, oneOf, taggedBy, text } from "./checks.ts";

const type = text;

const elsewhere = {
  url: objectWith({ required: { type, url: text } }),
  file: objectWith({ required: { type, file_id: text } }),
};

/** Checks the source of an image. */
export const imageSource: Check = taggedBy({
  base64: objectWith({
    required: { type, media_type: oneOf("image/jpeg", "image/png", "image/gif", "image/webp"), data: text },
  }),
  ...elsewhere,
});

/** Checks the source of a document. */
export const documentSource: Check = taggedBy({
  base64: objectWith({ required: { type, media_type: oneOf("application/pdf"), data: text } }),
  text: objectWith({ required: { type, media_type: oneOf("text/plain"), data: text } }),
  content: objectWith({ required: { type, content: anything } }),
  ...elsewhere,
});
