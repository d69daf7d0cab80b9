import { breaker } from "../base/breaker.ts";
import { McpFailure } from "../base/failure.ts";
import type { McpUser } from "../base/user.ts";
import { type Link, type LinkUse, makeLink } from "./link.ts";
import { type Known, newClosings } from "./live.ts";
import type { McpServerOptions } from "./options.ts";
import { newPlaces } from "./places.ts";
import type { Client } from "./sdk.ts";
import { makeSignIns, type SignIns } from "./sign-in.ts";
import type { OnSignInError } from "./sign-in-failure.ts";
import { type Token, tokens } from "./token.ts";

/** The connections to one server. */
export interface Pool<Deps> {
  /** Returns the connection of a user. Without `token`, all users share one. */
  of(user: McpUser<Deps>): Promise<Connection>;
  /** The sign-ins of its users; `undefined` without `oauth`. */
  readonly signIns: SignIns<Deps> | undefined;
  close(): Promise<void>;
}

/** A request over a connection. */
export interface Asked extends LinkUse {
  /**
   * Whether all users of the connection wait for the answer. If they share it, none of them takes a place.
   */
  isForAll?: boolean;
}

/** A user's connection, within the server's limits. */
export interface Connection extends Pick<Link, "secrets"> {
  /**
   * Uses the connection at a place of the user. Waits for the place for at most half of `timeoutMs`.
   *
   * @throws McpFailure
   */
  use<T>(work: (client: Client) => Promise<T>, asked?: Asked): Promise<T>;
  /** A key of the connection, the same for the same user and token. Never shown or stored. */
  readonly key: string;
}

interface Entry<Deps> {
  link: Link;
  user: McpUser<Deps>;
  token: Token | undefined;
}

/** The default time limit of a call, in milliseconds. */
export const TIMEOUT_MS = 60_000;

/** The user for whom requests are made that all users of a shared connection wait for. */
const EVERYBODY = "";

/** Makes the connections to a server. `onSignInError` gets the reasons of sign-ins that fail. */
export function makePool<Deps>(options: McpServerOptions<Deps>, onSignInError?: OnSignInError): Pool<Deps> {
  const { name, concurrency = 8, timeoutMs = TIMEOUT_MS, now = Date.now } = options;
  const links = new Map<string, Entry<Deps>>();
  /** Connections with a token that is not used any more. They close after their last request. */
  const retired = new Set<Link>();
  const tokenOf = tokens(options);
  // A program would be started twice again after it was idle.
  const shared: Known = { prior: undefined };
  const closings = newClosings();
  const signIns = options.oauth && makeSignIns(options, { onError: onSignInError, onChange: renew });
  const places = newPlaces(concurrency);
  const guarded = breaker(name, options.breaker ?? {}, now);

  function linkOf(key: string, user: McpUser<Deps>, token: string | undefined): Link {
    const before = links.get(key);
    if (before !== undefined) {
      before.user = user;
      return before.link;
    }
    const entry = { user } as Entry<Deps>;
    const current = () => entry.user;
    const own = signIns?.tokenOf(current) ?? (token === undefined ? undefined : tokenOf(token, current));
    const known = key === "" ? shared : { prior: undefined };
    entry.token = own;
    entry.link = makeLink(options, own, { known, closings }, () => {
      retired.delete(entry.link);
      if (links.get(key) === entry) links.delete(key);
    });
    links.set(key, entry);
    return entry.link;
  }

  /** Lets a user's next request read the token again, over a connection of its own. */
  function renew(userId: string): void {
    for (const [key, { link, user, token }] of links) {
      if (user.userId !== userId) continue;
      token?.forget?.();
      // An older server may have bound its session to the account before.
      links.delete(key);
      retired.add(link);
      link.retire();
    }
  }

  return {
    signIns,
    of: async (user) => {
      const token = await options.token?.(user);
      const isShared = options.token === undefined && signIns === undefined;
      const key = isShared ? "" : JSON.stringify([user.userId, token ?? null]);
      const link = linkOf(key, user, token);
      const use: Connection["use"] = async (work, { isForAll = false, ...how } = {}) => {
        const { signal } = how;
        const userId = isForAll && isShared ? EVERYBODY : user.userId;
        // The rest of the time is for the call.
        const waitMs = timeoutMs / 2;
        const leave = await places.take(userId, { waitMs, signal, refusal: (why) => noPlace(name, why) });
        try {
          return await guarded({ userId, signal, isShared }, () => link.use(work, how));
        } finally {
          leave();
        }
      };
      return { key, use, secrets: link.secrets };
    },
    close: async () => {
      const all = [...retired, ...Array.from(links.values(), ({ link }) => link)];
      links.clear();
      await Promise.all(all.map((link) => link.close()));
      await closings.settled();
    },
  };
}

function noPlace(server: string, why: "time_up" | "aborted"): McpFailure {
  const reason = why === "aborted" ? "the run was stopped" : "other calls took too long";
  const message = `Not sent: "${server}" has too many calls at once, and ${reason} before it was this one's turn.`;
  return new McpFailure("mcp_busy", "not_sent", message);
}
