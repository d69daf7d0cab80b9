import { PawlError } from "@pawl/core";
import { refusal } from "../request/wire-error.ts";

/** Counts the streams that each user has open in this process. */
export interface StreamLimit {
  /**
   * Calls `make`, and counts its response as one of the user's open streams until `onClose` is called.
   *
   * @throws HTTPException 429 if the user has too many streams open. `make` is not called then.
   */
  within(
    request: { userId: string; method: string },
    make: (onClose: () => void) => Promise<Response>,
  ): Promise<Response>;
}

/**
 * Returns a limit of `most` open streams per user.
 *
 * @throws PawlError `config` if `most` is not a number of at least 1. `Infinity` is allowed.
 */
export function streamLimit(most: number): StreamLimit {
  if (typeof most !== "number" || !(most >= 1))
    throw new PawlError("config", `\`maxStreams\` must be a number of at least 1; got ${String(most)}.`);
  const open = new Map<string, number>();
  const take = (userId: string) => {
    const count = open.get(userId) ?? 0;
    if (count >= most) {
      throw refusal(
        429,
        "too_many_streams",
        `You have ${count} streams open, which is the limit. Close a page that you do not need, and try again.`,
        { "retry-after": "5" },
      );
    }
    open.set(userId, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (open.get(userId) ?? 1) - 1;
      if (left === 0) open.delete(userId);
      else open.set(userId, left);
    };
  };
  return {
    async within({ userId, method }, make) {
      const onClose = take(userId);
      try {
        const response = await make(onClose);
        // A HEAD response has no body, so its stream is closed at once.
        if (method === "HEAD") onClose();
        return response;
      } catch (error) {
        onClose();
        throw error;
      }
    },
  };
}
