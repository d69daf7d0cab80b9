/** The fields of a run's result. In plain JavaScript, `await pawl.run(…)` looks as if it had them. */
const FIELDS = "text output stop actions turns usage costUsd pending sessionId runId".split(" ");

/** Makes the prototype of a runtime's runs: each field of a result calls `misread` with its name. */
export function notResult(misread: (field: string) => void): object {
  const getters = FIELDS.map((field) => [field, { get: () => misread(field) }]);
  return Object.defineProperties({}, Object.fromEntries(getters));
}
