import { PawlError, sanitize } from "@pawl/core";

const TAG = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/**
 * Text in a tag that it can neither close nor open again; `tags` are further ones that it cannot either. What
 * is empty is left out.
 */
export function fenced(tag: string, text: string, tags: readonly string[] = []): string {
  const inside = sanitize(text, { tags: [tag, ...tags] }).trim();
  return inside === "" ? "" : `<${tag}>\n${inside}\n</${tag}>`;
}

/** @throws PawlError `config` for what is no tag, or one that only Pawl writes. */
export function checkTag(tag: string, whose: string): void {
  if (!TAG.test(tag)) {
    throw new PawlError("config", `"${tag}" is no tag for ${whose}: letters, digits, _ and - are.`);
  }
  if (sanitize(`<${tag}>`) !== `<${tag}>`) {
    throw new PawlError("config", `<${tag}> is a tag of Pawl's own; ${whose} needs another one.`);
  }
}
