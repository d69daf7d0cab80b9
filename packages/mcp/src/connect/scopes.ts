/** The most scopes that are kept for a user: servers name them. */
const MOST = 100;

/** One scope (RFC 6749, 3.3), of at most 200 characters. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

// The SDK's `computeScopeUnion()` takes any number of scopes, with any characters.
/** Returns all scopes of these lists, separated by spaces; `undefined` without any. */
export function allScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const all = new Set(lists.flatMap((list) => (list ?? "").split(" ")).filter((scope) => SCOPE.test(scope)));
  return all.size === 0 ? undefined : [...all].slice(0, MOST).join(" ");
}

/** Whether a list has all scopes of another one. */
export function hasScopes(list: string | undefined, wanted: string | undefined): boolean {
  const given = (list ?? "").split(" ");
  return (allScopes(wanted) ?? "").split(" ").every((scope) => scope === "" || given.includes(scope));
}

/** Returns tokens with their scope: the one that was asked for, if the authorization server names none. */
export function withScope<T extends { scope?: string | undefined }>(tokens: T, asked: string | undefined): T {
  const scope = tokens.scope ?? asked;
  return scope === undefined ? tokens : { ...tokens, scope };
}
