/**
 * Node's flags for programs that tests run from their sources. They end before optimising Postgres's
 * WebAssembly pays off; that would cost more than everything else.
 */
export const NODE_FLAGS: readonly string[] = ["--conditions=@pawl/source", "--liftoff-only"];
