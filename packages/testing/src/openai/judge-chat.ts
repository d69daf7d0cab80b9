import type { ApiError } from "../api-error.ts";

/** Judges the body of a chat request, and answers with the first error that the API would give. */
export function judgeChat(_body: unknown): ApiError | undefined {
  return undefined;
}
