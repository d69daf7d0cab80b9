import pLimit from "p-limit";
import { breaker } from "../base/breaker.ts";
import type { McpUser } from "../base/user.ts";
import { type Link, type LinkUse, makeLink } from "./link.ts";
import type { Known } from "./live.ts";
import type { McpServerOptions } from "./options.ts";
import type { Client } from "./sdk.ts";
import { makeSignIns, type SignIns } from "./sign-in.ts";
import type { OnSignInError } from "./sign-in-failure.ts";
import { tokens } from "./token.ts";

/** The connections to one server. */
export interface Pool<Deps> {
  /** Returns the connection of a user. Without `token`, all users share one. */
  of(user: McpUser<Deps>): Promise<Connection>;
  /** The sign-ins of its users; `undefined` without `oauth`. */
  readonly signIns: SignIns<Deps> | undefined;
  close(): Promise<void>;
}

/** A user's connection, within the server's limits. */
export interface Connection extends Omit<Link, "close"> {
  /** A key of the connection, the same for the same user and token. Never shown or stored. */
  readonly key: string;
}

/** Makes the connections to a server. `onSignInError` gets the reasons of sign-ins that fail. */
export function makePool<Deps>(options: McpServerOptions<Deps>, onSignInError?: OnSignInError): Pool<Deps> {
  const { name, concurrency = 8, now = Date.now } = options;
  const links = new Map<string, { link: Link; user: McpUser<Deps> }>();
  const tokenOf = tokens(options);
  // A program would be started twice again after it was idle.
  const shared: Known = { prior: undefined };
  const signIns = options.oauth && makeSignIns(options, onSignInError);
  const limit = pLimit(concurrency);
  const guarded = breaker(name, options.breaker ?? {}, now);

  function linkOf(key: string, user: McpUser<Deps>, token: string | undefined): Link {
    const known = links.get(key);
    if (known !== undefined) {
      known.user = user;
      return known.link;
    }
    const entry = { user } as { link: Link; user: McpUser<Deps> };
    const current = () => entry.user;
    const own = signIns?.tokenOf(current) ?? (token === undefined ? undefined : tokenOf(token, current));
    entry.link = makeLink(options, own, key === "" ? shared : { prior: undefined }, () => links.delete(key));
    links.set(key, entry);
    return entry.link;
  }

  return {
    signIns,
    of: async (user) => {
      const token = await options.token?.(user);
      const isShared = options.token === undefined && signIns === undefined;
      const key = isShared ? "" : JSON.stringify([user.userId, token ?? null]);
      const link = linkOf(key, user, token);
      const use = <T>(work: (client: Client) => Promise<T>, how: LinkUse = {}): Promise<T> =>
        limit(() => guarded(() => link.use(work, how), how.signal));
      return { key, use, secrets: link.secrets };
    },
    close: async () => {
      const all = [...links.values()];
      links.clear();
      await Promise.all(all.map(({ link }) => link.close()));
    },
  };
}
