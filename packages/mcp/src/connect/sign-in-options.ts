import type { McpUser } from "../base/user.ts";

/**
 * Where the sign-ins of users are kept: one text per key, with the tokens of one user for one server. Store
 * it encrypted, and give it to nobody.
 */
export interface McpSignInStore {
  /** Returns the text that was saved last; `undefined` if none was saved. */
  load(key: string): Promise<string | undefined>;
  /** Saves a text; `undefined` deletes it. */
  save(key: string, text: string | undefined): Promise<void>;
  /**
   * Does some work while no other process does work for the same key, e.g. under an advisory lock of the
   * database. Without it, only this process does one thing at a time: two processes may then refresh the
   * tokens of a user at once, and servers that allow each refresh token once sign the user out.
   */
  lock?<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** How users sign in to a server by OAuth 2.1. */
export interface McpOAuthOptions<Deps = unknown> {
  /** Where the user's browser returns to. That route calls `finishSignIn()`. */
  redirectUrl: string | URL;
  /** Returns where a user's sign-in is kept, e.g. from `deps`. */
  store: (user: McpUser<Deps>) => McpSignInStore;
  /** The name of the app that the user reads while signing in. Default: `Pawl`. */
  clientName?: string;
  /**
   * The scopes to ask for, separated by spaces, besides those that the server wants when it refuses a
   * request. Default: these, or else those that its metadata name.
   */
  scope?: string;
  /** The app's id, if it was registered by hand. Needs `issuer`. Default: the app registers itself. */
  clientId?: string;
  /** The secret that belongs to `clientId`. Default: none. */
  clientSecret?: string;
  /**
   * The authorization server, as its metadata name it in `issuer`, e.g. `https://login.example.com`. The MCP
   * server's own metadata list it in `authorization_servers`. If the MCP server names another one, every
   * sign-in fails, and nothing is sent there. Required beside `clientId`: it says where the app was
   * registered. Default: the one that the MCP server names.
   */
  issuer?: string;
  /** The address of the app's metadata document, for servers that take it as an id. Default: none. */
  clientMetadataUrl?: string;
}

/** A call that waits until its user has signed in: answer its question with `true`. */
export interface WaitingCall {
  sessionId: string;
  callId: string;
}
