import assert from "node:assert/strict";

/** A title, and a function that returns a port as it is, or without one of its optional capabilities. */
export type Way = readonly [title: string, as: <Port extends object>(port: Port) => Port];

/**
 * Returns the two ways to run a test: with an optional capability of a port, e.g. `open` of a store, and
 * without it. `it.each(eachWay("open"))("finds it, %s", async (_, as) => …)` runs over `as(store)`.
 */
export function eachWay(capability: string): readonly [Way, Way] {
  const keep: Way[1] = (port) => {
    assert.ok(capability in port, `the port has no \`${capability}\` that could be taken away`);
    return port;
  };
  return [
    [`with \`${capability}\``, keep],
    [`without \`${capability}\``, (port) => lacking(port, capability)],
  ];
}

/**
 * Takes a capability away for a test that has no meaning with it. `_twin` is the title of the test that
 * proves the same with the capability; `npm run capabilities` checks that there is one.
 */
export function without<Port extends object>(
  port: Port,
  capability: keyof Port & string,
  _twin: string,
): Port {
  return lacking(port, capability);
}

function lacking<Port extends object>(port: Port, capability: string): Port {
  return Object.fromEntries(Object.entries(port).filter(([name]) => name !== capability)) as Port;
}
