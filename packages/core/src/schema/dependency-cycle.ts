/**
 * Returns the names of tools that depend on each other in a circle, in order, or `undefined` if there are
 * none. If such tools were called in one turn, each would wait forever for the next. A tool may depend on
 * itself. Unknown names are ignored.
 */
export function dependencyCycle(
  tools: ReadonlyMap<string, { readonly dependsOn: readonly string[] }>,
): readonly string[] | undefined {
  const clear = new Set<string>();
  const search = (name: string, path: readonly string[]): readonly string[] | undefined => {
    const at = path.indexOf(name);
    if (at !== -1) return path.slice(at);
    if (clear.has(name)) return undefined;
    for (const next of tools.get(name)?.dependsOn ?? []) {
      if (next === name) continue;
      const cycle = search(next, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    clear.add(name);
    return undefined;
  };
  for (const name of tools.keys()) {
    const cycle = search(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
