/** Returns a module of Node's; `undefined` if the platform lacks it. */
// Not imported, because bundlers for Workers and pages would fail on the module's name.
export function builtin<Module>(name: string): Module | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.(name) as Module | undefined;
}
