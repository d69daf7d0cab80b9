import { PawlError } from "@pawl/core";

/**
 * Returns what each call answers to a mistake: the code and message of the error that it throws or rejects
 * with, or `accepted` if there is no error.
 */
export async function said(...calls: (() => unknown)[]): Promise<string[]> {
  const messages: string[] = [];
  for (const call of calls) {
    try {
      const made = await call();
      await (made as { result?: unknown } | undefined)?.result;
      messages.push("accepted");
    } catch (error) {
      messages.push(
        PawlError.is(error) ? `${error.code}: ${error.message}` : `NOT A PAWL ERROR: ${String(error)}`,
      );
    }
  }
  return messages;
}
