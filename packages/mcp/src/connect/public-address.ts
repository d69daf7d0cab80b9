/** Names and addresses of this machine, as hosts of a URL. */
const OWN = /^(localhost|(.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Checks where a request for a sign-in is about to go, because MCP servers and authorization servers say
 * where their metadata and endpoints are: to a public https address, or to a host that the app has named. If
 * one of those is this machine, as in development, all of its ports may be used.
 *
 * A name may have another address by the time the request connects to it. That host would have to have a
 * certificate for the name, so no request reaches a server inside. Names that only a proxy can resolve are
 * left to it.
 *
 * @param named the addresses that the app has named: of the MCP server, and `issuer`
 * @throws TypeError as `fetch` does for an address that it does not take
 */
export async function checkPublic(url: URL, named: readonly URL[]): Promise<void> {
  checkScheme(url, named);
  if (named.some(({ hostname }) => hostname === url.hostname)) return;
  const isLocal = named.some(isOwn);
  for (const address of await addressesOf(url)) {
    const range = await rangeOf(address);
    if (range === "unicast" || (range === "loopback" && isLocal)) continue;
    throw new TypeError(
      `"${url.origin}" is not on the public internet: its address ${address} is ${range}. If an authorization server of your own is there, name it as \`issuer\` of \`oauth\`.`,
    );
  }
}

/**
 * Checks that an address has TLS, and nothing in front of its host, which people would take for the host. The
 * app may have named one without TLS, e.g. on its own machine.
 */
export function checkScheme(url: URL, named: readonly URL[]): void {
  if (url.username !== "" || url.password !== "")
    throw new TypeError(`The address at "${url.host}" must not have a user name or password.`);
  const isNamed = named.some(
    (one) => one.protocol === "http:" && (one.hostname === url.hostname || (isOwn(one) && isOwn(url))),
  );
  if (url.protocol === "https:" || (url.protocol === "http:" && isNamed)) return;
  throw new TypeError(`"${url.protocol}//${url.host}" must be an https address.`);
}

function isOwn({ hostname }: URL): boolean {
  return OWN.test(hostname);
}

/** Returns the addresses of a host; none if its name cannot be resolved here. */
async function addressesOf({ hostname }: URL): Promise<string[]> {
  if (/^\[|^[\d.]+$/.test(hostname)) return [hostname.replace(/[[\]]/g, "")];
  if (OWN.test(hostname)) return ["127.0.0.1"];
  // Not everywhere, e.g. not in browsers.
  const dns = globalThis.process?.getBuiltinModule?.("node:dns");
  const found = await dns?.promises.lookup(hostname, { all: true }).catch(() => undefined);
  return (found ?? []).map(({ address }) => address);
}

/** The prefix by which networks without IPv4 reach it. */
const NAT64 = "rfc6052";

/** Returns the kind of an address, e.g. `private`; `unicast` if it is public. */
async function rangeOf(address: string): Promise<string> {
  const { default: ip } = await import("ipaddr.js");
  const parsed = ip.process(address);
  const bytes = parsed.toByteArray();
  if (parsed.range() === NAT64) return ip.fromByteArray(bytes.slice(-4)).range();
  // The library calls all the rest unicast, but the internet has only this part of it.
  const isGlobal = parsed.kind() === "ipv4" || (bytes[0] ?? 0) >> 5 === 1;
  return isGlobal ? parsed.range() : "not global";
}
