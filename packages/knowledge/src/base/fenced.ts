import { PawlError, sanitize } from "@pawl/core";
import { isOwnTag } from "@pawl/core/tools";

/**
 * Wraps text in a tag. The text can neither close nor open this tag or those in `tags`. Returns `""` for
 * blank text.
 */
export function fenced(tag: string, text: string, tags: readonly string[] = []): string {
  const inside = sanitize(text, { tags: [tag, ...tags] }).trim();
  return inside === "" ? "" : `<${tag}>\n${inside}\n</${tag}>`;
}

/**
 * Checks the name of a tag.
 *
 * @throws PawlError `config` if the name is invalid or reserved by Pawl.
 */
export function checkTag(tag: string, whose: string): void {
  if (isOwnTag(tag)) return;
  if (sanitize(`<${tag}>`) !== `<${tag}>`)
    throw new PawlError("config", `The tag <${tag}> is reserved for Pawl; ${whose} needs another one.`);
  throw new PawlError(
    "config",
    `"${tag}" is not a valid tag for ${whose}: use a letter, then up to 63 letters, digits, _ and -.`,
  );
}
