/**
 * Node's flags for programs that tests run from their sources. These programs end so soon that optimizing
 * Postgres's WebAssembly would cost more than it saves.
 */
export const NODE_FLAGS: readonly string[] = ["--conditions=@pawl/source", "--liftoff-only"];
