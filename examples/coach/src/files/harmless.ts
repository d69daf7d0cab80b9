/** A link's target that is a place on the web, a mail address, or a place among the files. Whatever has a scheme or hides one is none. */
const SAFE_TARGET = /^(?:https?:\/\/|mailto:|[^:&\\]*(?:[/?#]|$))/i;

/** The `<` of raw HTML: a tag, a comment, a declaration. Links in angle brackets are none. */
const HTML = /<(?!(?:https?:\/\/|mailto:)[^\s<>"'`]*>)(?=[a-z/!?])/gi;

/**
 * Markdown in which nothing can run, whoever renders it: raw HTML stays readable as text (`&lt;script>`), with its event
 * handlers, and a link to `javascript:` or the like leads nowhere. Prose, lists, tables and links stay as they are.
 */
export function harmlessMarkdown(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\0", "")
    .replace(HTML, "&lt;")
    .replace(/(\]\([\s<>]*)([^\])\s>]*)/g, withSafeTarget)
    .replace(/(\]:[\s<>]*)([^\]\s>]*)/g, withSafeTarget);
}

function withSafeTarget(_: string, before: string, target: string): string {
  return `${before}${SAFE_TARGET.test(target) ? target : "#"}`;
}
