import type { McpUser } from "../base/user.ts";
import type { McpServerOptions } from "./options.ts";
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from "./sdk.ts";
import type { WaitingCall } from "./sign-in-options.ts";

/**
 * What is kept of one user's sign-in to one server. Its secrets have the `issuer` of the authorization server
 * that they are for, see `issuer.ts`.
 */
export interface SignInRecord {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  /** The authorization server that was found when the last sign-in began. */
  discovery?: OAuthDiscoveryState;
  /** Where the server says that its metadata is, when it refuses a request. */
  metadataUrl?: string;
  /** The scopes that the server has wanted when it refused a request, separated by spaces. */
  wanted?: string;
  /** A sign-in that has begun. */
  pending?: PendingSignIn;
}

export interface PendingSignIn extends SignInAddress {
  url: string;
  /** When it began, in milliseconds since 1970. */
  at: number;
  calls: WaitingCall[];
  /** Addresses from before, which questions still show: the newest first. */
  earlier?: SignInAddress[];
}

/** Identifies the sign-in of a user who returns from the provider's page. */
export interface SignInAddress {
  state: string;
  verifier: string;
  /** The authorization server to which the user was sent. */
  issuer: string;
  /** The scopes that the user is asked for, separated by spaces; `null` for none. */
  scope: string | null;
}

/** Reads and changes the records of a server's users. */
export interface SignInRecords<Deps> {
  read(user: McpUser<Deps>): Promise<SignInRecord>;
  /**
   * Reads a record, lets `change` change it, and saves it. For one user, one change at a time: in this
   * process, and across processes if the store has a lock. It is saved even if `change` throws.
   */
  change<T>(user: McpUser<Deps>, change: (record: SignInRecord) => Promise<T>): Promise<T>;
}

/** Makes the records of a server. @param options those of a server with `oauth` */
export function signInRecords<Deps>({ name, oauth }: McpServerOptions<Deps>): SignInRecords<Deps> {
  const lastOf = new Map<string, Promise<unknown>>();
  const keyOf = ({ userId }: McpUser<Deps>): string => JSON.stringify(["mcp", name, userId]);
  const storeOf = (user: McpUser<Deps>) => {
    if (oauth === undefined) throw new Error(`"${name}" has no \`oauth\`.`);
    return oauth.store(user);
  };

  async function read(user: McpUser<Deps>): Promise<SignInRecord> {
    const text = await storeOf(user).load(keyOf(user));
    return text === undefined ? {} : JSON.parse(text);
  }

  function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = lastOf.get(key) ?? Promise.resolve();
    const now = before.then(work, work);
    const settled = now
      .catch(() => undefined)
      .then(() => {
        if (lastOf.get(key) === settled) lastOf.delete(key);
      });
    lastOf.set(key, settled);
    return now;
  }

  return {
    read,
    change: (user, change) => {
      const key = keyOf(user);
      const store = storeOf(user);
      const work = async () => {
        const record = await read(user);
        const before = JSON.stringify(record);
        try {
          return await change(record);
        } finally {
          const text = JSON.stringify(record);
          if (text !== before) await store.save(key, text === "{}" ? undefined : text);
        }
      };
      return oneAtATime(key, () => store.lock?.(key, work) ?? work());
    },
  };
}
