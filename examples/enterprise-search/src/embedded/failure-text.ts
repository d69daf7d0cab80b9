/** What Emscripten, on which PGlite runs, calls `ENOSPC`. */
const NO_SPACE = 51;

/** Words an error of the database. Those of its file system are no `Error`s and have only a number. */
export function failureText(error: unknown): string {
  if (error instanceof Error) return error.message;
  const { errno } = Object(error) as { errno?: unknown };
  if (errno === NO_SPACE) return "There is no space left on the disk.";
  return errno === undefined ? String(error) : `The file system failed with the error ${errno}.`;
}
