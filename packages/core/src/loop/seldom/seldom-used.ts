type Seldom = typeof import("./index.ts");

// The module and not its promise: later steps do not wait for it, and a failed import is repeated.
let seldomParts: Seldom | undefined;

/** Loads the code that few runs need. Called before a step stores or sends anything. */
export async function seldomUsed(): Promise<Seldom> {
  seldomParts ??= await import("./index.ts");
  return seldomParts;
}
