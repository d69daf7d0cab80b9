import { McpFailure, type MissingScopes } from "../base/failure.ts";
import type { McpUser } from "../base/user.ts";
import type { McpServerOptions } from "./options.ts";

/** A user's token for one server. It stays in this process. */
export interface Token {
  value(): string | undefined | Promise<string | undefined>;
  /**
   * Gets a new token after the server has refused a request with this response.
   *
   * @throws McpFailure `mcp_unauthorized` if it is missing
   */
  refresh(refusal: Response): Promise<void>;
  /**
   * Notes what the server wants besides (403). Returns whether the user has to grant it; otherwise the token
   * has all that, maybe by now, and the request may be sent once more. Absent if the app brings the tokens.
   */
  widen?(wants: MissingScopes): Promise<boolean>;
  /** Drops the value, because the user has signed out or in. The next one is read from the store. */
  forget?(): void;
  /** All values that it has had, so that none is stored. */
  secrets(): readonly string[];
}

/**
 * Makes tokens of the users of one server. A user's refreshes run one after the other: with refresh tokens
 * that are replaced at each use, two at a time would sign the user out.
 */
export function tokens<Deps>({ name, refresh }: McpServerOptions<Deps>) {
  const lastOf = new Map<string, Promise<unknown>>();

  function oneAtATime<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const before = lastOf.get(userId) ?? Promise.resolve();
    const now = before.then(work, work);
    const settled = now
      .catch(() => undefined)
      .then(() => {
        if (lastOf.get(userId) === settled) lastOf.delete(userId);
      });
    lastOf.set(userId, settled);
    return now;
  }

  return (first: string, user: () => McpUser<Deps>): Token => {
    let value = first;
    let refreshing: Promise<void> | undefined;
    const seen = [first];
    const renew = async (): Promise<void> => {
      const fresh = await refresh?.({ ...user(), token: value });
      if (fresh === undefined || fresh === value) throw unauthorized(name);
      value = fresh;
      seen.push(fresh);
    };
    return {
      value: () => value,
      secrets: () => seen,
      refresh: async () => {
        // Requests that were refused together wait for the same new token.
        refreshing ??= oneAtATime(user().userId, renew).finally(() => {
          refreshing = undefined;
        });
        await refreshing;
      },
    };
  };
}

/** Returns the failure of a request that the server refuses until the user signs in again. */
export function unauthorized(server: string): McpFailure {
  return new McpFailure(
    "mcp_unauthorized",
    "not_sent",
    `"${server}" does not accept the user's credentials (401). The user has to sign in there again.`,
  );
}
