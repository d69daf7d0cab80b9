const FAILURES = [
  '(beforeTool|afterTurn) of "throws" \\(agent "tester"(, tool "\\w+")?\\): no (check today|comment)',
  'A call of the tool "look_up" of the agent "tester" failed: the database is down',
  'The hook "\\w+" guards the tool "\\w+", which the function `tools` of the agent "tester" has not .+',
  "the database is down",
  "Overloaded",
  "invalid_request_error",
  "messages\\S+ Could not process image",
  "The model's answer was cut off\\.",
  "The model stopped (for an unknown reason|to use a tool) .+",
  "The model (paused its answer|answered without calling|used the tool call id) .+",
  "Run \\S+ of session \\S+ ended as an error.+",
  "The process is dead\\.",
];

/** The failures that models, tools and stores of random runs simulate, as the runtime prints them. */
export const PROVOKED = new RegExp(`^pawl: (${FAILURES.join("|")})( \\(http\\S+\\))?$`);

/** What is printed of the tool "odd" of `world()`, which returns values that JSON or the API cannot take. */
export const ODD = /^pawl: (The|`format` of the) tool "odd" of the agent "tester" (returned a value|failed)/;
