import { type ApiError, invalid } from "../../base/api-error.ts";
import { headOfFile, pagesInBase64, pictureIn } from "../../base/media.ts";
import type { ModelLimits } from "../../base/model-limits.ts";
import { asBlocks, isObject, type WireMessage } from "../../base/wire-request.ts";
import { firstError } from "./checks.ts";

/** The longest picture, in characters of base64. */
const LARGEST_IMAGE = 10 * 1024 * 1024;

const LONGEST_SIDE = 8_000;

/** With more pictures than this, the sides of all are limited further. */
const MANY_IMAGES = 20;
const LONGEST_SIDE_OF_MANY = 2_000;

/** A picture or a document of a request, wherever it is. */
interface Medium {
  path: string;
  type: string;
  /** The base64, and the media type that the request names; absent for files that the API loads. */
  file: { data: string; media_type: string } | undefined;
}

/**
 * Checks the number, size and content of pictures and PDFs, as the API does when it has read the fields. The
 * wording of some errors is a guess.
 */
export function checkMedia(
  messages: readonly WireMessage[],
  { contextTokens }: ModelLimits,
): ApiError | undefined {
  const media = messages.flatMap(({ content }, at) => mediaIn(asBlocks(content), `messages.${at}.content`));
  const images = media.filter(({ type }) => type === "image");
  const most = contextTokens < 1_000_000 ? 100 : 600;
  if (images.length > most) return invalid(`messages: too many images: ${images.length} > ${most} maximum`);
  if (images.some(({ file }) => file !== undefined && file.data.length > LARGEST_IMAGE))
    return invalid("messages: image exceeds 10 MB maximum");
  const isMany = images.length > MANY_IMAGES;
  return firstError(images, (image) => checkImage(image, isMany)) ?? checkPdfs(media, most);
}

function mediaIn(blocks: readonly unknown[], path: string): Medium[] {
  return blocks.flatMap((block, at): Medium[] => {
    if (!isObject(block)) return [];
    const { type, source, content } = block;
    if (type === "tool_result")
      return Array.isArray(content) ? mediaIn(content, `${path}.${at}.tool_result.content`) : [];
    if ((type !== "image" && type !== "document") || !isObject(source)) return [];
    const { data, media_type } = source;
    const file =
      source.type === "base64" && typeof data === "string"
        ? { data, media_type: String(media_type) }
        : undefined;
    return [{ path: `${path}.${at}.${type}.source.base64`, type, file }];
  });
}

function checkImage({ path, file }: Medium, isMany: boolean): ApiError | undefined {
  if (file === undefined) return undefined;
  const head = headOfFile(file.data);
  if (head === undefined) return invalid(`${path}.data: invalid base64 data`);
  const picture = pictureIn(head);
  if (picture === undefined || picture.size === undefined)
    return invalid(`${path}.data: Could not process image`);
  if (picture.type !== file.media_type)
    return invalid(
      `${path}: The image was specified using the ${file.media_type} media type, but the image appears to be a ${picture.type} image`,
    );
  const side = Math.max(picture.size.width, picture.size.height);
  if (side > LONGEST_SIDE)
    return invalid(
      `${path}.data: At least one of the image dimensions exceed max allowed size: ${LONGEST_SIDE} pixels`,
    );
  return isMany && side > LONGEST_SIDE_OF_MANY
    ? invalid(
        `${path}.data: At least one of the image dimensions exceed max allowed size for many-image requests: ${LONGEST_SIDE_OF_MANY} pixels`,
      )
    : undefined;
}

function checkPdfs(media: readonly Medium[], most: number): ApiError | undefined {
  let pages = 0;
  for (const { type, path, file } of media) {
    if (type !== "document" || file === undefined) continue;
    const head = headOfFile(file.data);
    if (head === undefined) return invalid(`${path}.data: invalid base64 data`);
    if (!new TextDecoder("latin1").decode(head).startsWith("%PDF-"))
      return invalid(`${path}.data: The PDF specified was not valid.`);
    pages += pagesInBase64(file.data);
  }
  return pages > most ? invalid(`A maximum of ${most} PDF pages may be provided.`) : undefined;
}
