/**
 * For programs of tests that are run from their sources. They are over before it would pay to optimise a Postgres in
 * WebAssembly, which costs more than all else that they do.
 */
export const NODE_FLAGS: readonly string[] = ["--conditions=@pawl/source", "--liftoff-only"];
