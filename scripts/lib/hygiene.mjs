/**
 * Patterns of lines that no committed file may contain, with the reason. They are written so that they do
 * not match this file.
 */
const RULES = [
  { pattern: /(?<![\w.~-])\/(?:work|root|home\/[a-z][\w-]*|Users\/\w+)\//, message: "a path of one machine" },
  { pattern: /\/\/[\w.-]*(?:registry|artifactory|nexus|npmmirror)[\w-]*\./, message: "a registry host" },
  { pattern: /_auth[T]oken/, message: "a registry credential" },
  { pattern: /^(?:<{7}|>{7}) /, message: "a conflict of a merge" },
];
const LOCK_RULE = { pattern: /tarball: *['"]?http/, message: "a download host" };

/**
 * Finds lines that match one of the patterns.
 *
 * @param {string} file
 * @param {string} text
 * @returns {{ file: string, line: number, message: string }[]}
 */
export function findUnclean(file, text) {
  const rules = file.endsWith("pnpm-lock.yaml") ? [...RULES, LOCK_RULE] : RULES;
  return text.split("\n").flatMap((content, index) =>
    rules
      .filter(({ pattern }) => pattern.test(content))
      .map(({ pattern, message }) => ({
        file,
        line: index + 1,
        message: `${message}: ${content.match(pattern)[0]}`,
      })),
  );
}
