import { checkOptions, PawlError } from "@pawl/core";

/**
 * Checks the handler that a server is given.
 *
 * @param mount how an application mounts it, e.g. `app.all(path, nodeListener(serve))`
 * @throws PawlError `config`
 */
export function checkServe(whose: string, serve: unknown, mount: string): void {
  if (isOfServer(serve)) {
    throw new PawlError("config", `${whose} takes a handler, and the server called it instead: ${mount}.`);
  }
  checkOptions(
    whose,
    { serve },
    { serve: { mustBe: "a function, e.g. handler({ … })", is: isFunction, required: true } },
  );
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Whether a value is a request of Node, or an instance of Fastify. */
function isOfServer(value: unknown): boolean {
  const { headers, url, inject, register } = Object(value);
  return (headers !== undefined && url !== undefined) || (isFunction(inject) && isFunction(register));
}
