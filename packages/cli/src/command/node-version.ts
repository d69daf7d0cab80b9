/** Returns what is wrong with a version of Node, or `undefined` if `pawl` runs on it. */
export function problemWithNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return undefined;
  return `Node 22.18 or newer is needed; this is ${version}.`;
}
