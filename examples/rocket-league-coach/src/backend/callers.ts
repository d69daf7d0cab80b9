import { createHash, timingSafeEqual } from "node:crypto";
import { refused } from "./refused.ts";

/** The sender of a request: a user, or the front server, which holds the service key. */
export type BackendCaller = { kind: "user"; userId: string } | { kind: "service" };

/** Returns the user of a bearer token, or `null` if the token is wrong or has expired. */
export type Authenticate = (token: string) => string | null | Promise<string | null>;

/** Returns the bearer token of a request, or `undefined`. */
export function bearerOf(request: Request): string | undefined {
  return request.headers.get("authorization")?.match(/^Bearer ([^\s,]+)$/i)?.[1];
}

/** Returns the function that identifies callers. It throws a response 401 for a missing or wrong token. */
export function identify(
  authenticate: Authenticate,
  serviceKey: string,
): (request: Request) => Promise<BackendCaller> {
  const service = digest(serviceKey);
  return async (request) => {
    const token = bearerOf(request);
    if (token === undefined)
      throw refused("unauthorized", "Send `Authorization: Bearer <token>` with every request.");
    if (timingSafeEqual(digest(token), service)) return { kind: "service" };
    const userId = await authenticate(token);
    if (userId === null) throw refused("unauthorized", "The bearer token is wrong or has expired.");
    return { kind: "user", userId };
  };
}

/** Returns the user of a request. A service acts for the user that it names. */
export function userOf(caller: BackendCaller, named?: string): string {
  if (caller.kind === "service" && named !== undefined) return named;
  if (caller.kind === "user" && (named === undefined || named === caller.userId)) return caller.userId;
  const message =
    caller.kind === "service"
      ? "The service key belongs to no user. Send the user's own bearer token."
      : "Only the front server may name a user.";
  throw refused("forbidden", message);
}

/** Refuses users: who can report their own use could report none. */
export function onlyService(caller: BackendCaller): void {
  if (caller.kind === "service") return;
  throw refused("forbidden", "Only the front server, with the service key, may settle a reservation.");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
