import { relative } from "node:path";

const root = new URL("../..", import.meta.url).pathname;

/**
 * Returns the path of a bundle of a TypeScript program, which a run of the tests makes once: a program that
 * starts from its thousand sources spends most of its processor time on loading them. Outside of such a run,
 * e.g. in a benchmark, returns the program itself.
 */
export async function bundled(program: string): Promise<string> {
  const desk = process.env.PAWL_TEST_PROGRAMS;
  if (desk === undefined) return program;
  const response = await fetch(`${desk}/${encodeURIComponent(relative(root, program))}`);
  const path = await response.text();
  if (!response.ok) throw new Error(path);
  return path;
}
