// Server scenarios that `mcpHandler()` fails, and why.

/** Makes an entry for each scenario, with one reason. */
const all = (reason: string, ...scenarios: string[]): Record<string, string> =>
  Object.fromEntries(scenarios.map((scenario) => [scenario, reason]));

const CONTENT = "An agent answers with text. The kit's tool wants content that an agent does not return.";
const NO_RESOURCES = "A served agent is one tool. It has no resources.";
const NO_PROMPTS = "A served agent is one tool. It has no prompts.";
const OLDER_QUESTION =
  "Clients of older protocols get results but no questions: a question would end with its connection.";
const OWN_TOOL = "It needs a tool of the kit that is no agent: one with a schema of its own.";
const NO_SAMPLING = "An agent has a model of its own. It asks the user, and never the client's model.";

const SHARED: Readonly<Record<string, string>> = {
  ...all(
    CONTENT,
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
  ),
  "tools-call-with-progress": "A call sends no progress. A long one becomes a task.",
  "json-schema-2020-12": OWN_TOOL,
  "completion-complete": "There is nothing to complete: the tool takes a message.",
  ...all(
    NO_RESOURCES,
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
  ),
  ...all(
    NO_PROMPTS,
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
  ),
};

/** Of the stable kit, which speaks the protocols until 2025-11-25. */
export const STABLE: Readonly<Record<string, string>> = {
  ...SHARED,
  ...all("A served agent has no log to send.", "logging-set-level", "tools-call-with-logging"),
  "tools-call-sampling": NO_SAMPLING,
  ...all(
    OLDER_QUESTION,
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ),
  ...all(NO_RESOURCES, "resources-subscribe", "resources-unsubscribe"),
  ...all(
    "The kit judges nothing: it looks at servers that keep a session for each client, and Pawl keeps none.",
    "server-sse-polling",
    "server-sse-multiple-streams",
  ),
};

/** Of the newer kit, at revision 2026-07-28. */
export const NEXT: Readonly<Record<string, string>> = {
  ...SHARED,
  "server-stateless": "25 of 28 checks pass. The others need tools that log or want the client's model.",
  caching: "4 of 7 checks pass. The others ask for lists of prompts and resources.",
  "http-custom-header-server-validation": OWN_TOOL,
  "tasks-lifecycle":
    "8 of 9 checks pass. The other wants a task that ends with an error of the protocol: a run that fails is a result with `isError`.",
  "tasks-status-notifications": "The kit judges nothing: it has no checks yet.",
  "tasks-required-task-error": "No client must take tasks. Those that do not wait for the result.",
  "tasks-mrtr-composition":
    "It wants a question before the task begins. A run with a question is a task already.",
  "input-required-result-basic-elicitation":
    "It wants the question under the key `user_name`. Pawl's is always `answer`.",
  ...all(
    NO_SAMPLING,
    "input-required-result-basic-sampling",
    "input-required-result-multiple-input-requests",
    "input-required-result-capability-check",
  ),
  "input-required-result-basic-list-roots": "An agent does not ask for the folders of a client.",
  "input-required-result-non-tool-request": NO_PROMPTS,
};
