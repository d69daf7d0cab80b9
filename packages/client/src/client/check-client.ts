import { PawlError } from "@pawl/core/view";

/** The types of the options, as `typeof` names them. */
const TYPES = {
  url: "string",
  fetch: "function",
  headers: "object or function",
  sessionId: "string",
  onSession: "function",
  onEvent: "function",
  silenceMs: "number",
  newId: "function",
  tools: "object",
  pageSize: "number",
};

/**
 * Checks the options of a client. Every page loads it, so it is smaller than `checkOptions` of core.
 *
 * @throws PawlError `config`
 */
export function checkClientOptions(whose: string, options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw new PawlError("config", `${whose} takes an object of options, e.g. { url: "/api/coach" }.`);
  const types = new Map(Object.entries(TYPES));
  // ASP supports neither tools of the page nor paging.
  if (whose.includes("Asp")) for (const name of ["tools", "pageSize"]) types.delete(name);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const problems = given.flatMap(([name, value]) => {
    const type = types.get(name);
    if (type === undefined)
      return [`${whose} has no option "${name}"; it has ${[...types.keys()].join(", ")}.`];
    const got = typeName(value);
    if (!type.split(" or ").includes(got))
      return [`\`${name}\` of ${whose} must be of type ${type}; got ${got}.`];
    if (name !== "pageSize" || (value % 1 === 0 && value >= 1 && value <= 200)) return [];
    return [`\`pageSize\` of ${whose} must be a whole number from 1 to 200; got ${value}.`];
  });
  const { tools } = options as { tools?: object };
  for (const [name, tool] of types.has("tools") ? Object.entries(Object(tools)) : [])
    if (typeof Object(tool).execute !== "function")
      problems.push(`The tool "${name}" of ${whose} must be an object with \`execute\`.`);
  // biome-ignore lint/plugin: the developer reads all mistakes of the app's own options.
  if (problems.length > 0) throw new PawlError("config", problems.join(" "));
}

/** Checks an argument of a client's method. @throws PawlError `config` */
export function checkArgument(whose: string, given: unknown, type: "string" | "function"): void {
  if (typeof given === type) return;
  refuseEvent(whose, given);
  throw new PawlError("config", `${whose} must be a ${type}; got ${typeName(given)}.`);
}

function typeName(value: unknown): string {
  return value === null ? "null" : typeof value;
}

/** Refuses a DOM event, which `onClick={send}` would pass. @throws PawlError `config` */
export function refuseEvent(whose: string, given: unknown): void {
  if (typeof Object(given).preventDefault !== "function") return;
  const [method] = /\w+(?=\()/.exec(whose) ?? [];
  throw new PawlError(
    "config",
    `${whose} is an event. Write onClick={() => ${method}(…)}, not onClick={${method}}.`,
  );
}
