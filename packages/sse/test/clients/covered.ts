/** What is tested with every client, in the order of the page's columns. */
export const FEATURES = [
  "reload",
  "two tabs",
  "stop",
  "retry",
  "approval",
  "question",
  "page tool",
  "file",
  "source",
  "output",
  "expiry",
] as const;

export type Feature = (typeof FEATURES)[number];

/** The test of a feature, by its file in `packages` and a part of its title, or why the client lacks the feature. */
export type Cell = readonly [file: string, title: string] | { readonly because: string };

/** A client, with the versions that its tests run with. */
export interface Client {
  name: string;
  /** What the page says about the client, e.g. its dialect. */
  about: string;
  /** The installed packages, as `packages/sse` names them; without any, the client is one of Pawl's own. */
  packages?: readonly string[];
  /** How a test file says that it runs with all these versions. */
  each?: RegExp;
  cells: { readonly [F in Feature]: Cell };
}

const OWN = "client/test/";
const SSE = "sse/test/";
const AI = "sse/test/dialects/ai-sdk/";
const AG = "sse/test/dialects/ag-ui/";
const page = (title: string): Cell => [`${AI}every-version-page.test.ts`, title];
const version = (title: string): Cell => [`${AI}every-version.test.ts`, title];
const assistant = (title: string): Cell => [`${AI}assistant-ui.test.ts`, title];
const copilot = (title: string): Cell => [`${AG}copilotkit.test.ts`, title];
const thread = (title: string): Cell => [`${AG}copilotkit-thread.test.ts`, title];
const again = (title: string): Cell => [`${AG}ag-ui-again.test.ts`, title];
const every = (title: string): Cell => [`${OWN}every-client.test.ts`, title];
const plain = (title: string): Cell => [`${SSE}stream/plain-page.test.ts`, title];
const routes = (title: string): Cell => [`${SSE}handler/routes.test.ts`, title];

const EXPIRED = "has the default of a question that has expired, and";

export const CLIENTS: readonly Client[] = [
  {
    name: "`@pawl/client`",
    about:
      "`createAgentClient()` over `native()`. `useAgent()` shows the state of this client, and is tested in Chromium (`client/test/react.test.ts`, `client/test/page-tools-react.test.ts`).",
    cells: {
      reload: [`${OWN}connection.test.ts`, "in the middle of an answer, shows the text so far"],
      "two tabs": [`${OWN}conversation.test.ts`, "of two tabs that answer, one wins"],
      stop: [`${OWN}conversation.test.ts`, "stops, also while the message is in flight"],
      retry: [`${OWN}retry.test.ts`, "runs the message of a failed run again"],
      approval: every("asks for approval, also after a reload"),
      question: [`${OWN}conversation.test.ts`, "asks, accepts one answer, and continues"],
      "page tool": [`${OWN}page-tools.test.ts`, "with the call's input, once"],
      file: [`${OWN}files.test.ts`, "uploads them first"],
      source: every("shows a source, also after a reload"),
      output: [`${OWN}output.test.ts`, "grows in the state, and is final"],
      expiry: every(`${EXPIRED} refuses a later answer`),
    },
  },
  {
    name: "AI SDK",
    about:
      "`Chat` of the AI SDK over `aiSdk()`: the first, a middle and the newest version of 6, the first and the newest of 7. `useChat` of the newest ones is tested in Chromium (`sse/test/dialects/ai-sdk/use-chat.test.ts`).",
    packages: ["ai-6-first", "ai-6-middle", "ai-6", "ai-7-first", "ai"],
    each: /\["6\.0\.37", "6\.0\.160", 6, "7\.0\.0", 7\]/,
    cells: {
      reload: [`${AI}chatbot-story.test.ts`, "sends, and is reloaded in the middle of a text and of a tool"],
      "two tabs": page("in two tabs at one question"),
      stop: page("stops the run by the route"),
      retry: version("shows a failure, and its Retry button works"),
      approval: version("asks for an approval, also after a reload"),
      question: version("asks a question, and continues with its answer"),
      "page tool": page("runs a tool of the page"),
      file: page("sends a file, and has it after a reload"),
      source: page("shows a source, also after a reload"),
      output: page("shows the run's output, also after a reload"),
      expiry: page(`${EXPIRED} a later answer is refused`),
    },
  },
  {
    name: "AG-UI",
    about: "`HttpAgent` of `@ag-ui/client` over `agUi()`, see [Use AG-UI or CopilotKit](guide/ag-ui.md).",
    packages: ["@ag-ui/client-0.0.59", "@ag-ui/client"],
    each: /\["0\.0\.59", "1\.0"\]/,
    cells: {
      reload: [`${AG}ag-ui-reload.test.ts`, "gets the whole thread by connecting"],
      "two tabs": again("a second tab that does not know the last message"),
      stop: again("a message after abortRun() is answered"),
      retry: again("running the thread again after an error answers anew"),
      approval: [`${AG}ag-ui.test.ts`, "asks for approval, answered with %s"],
      question: [`${AG}ag-ui.test.ts`, "interrupts for a question, and continues"],
      "page tool": [`${AG}frontend-tools.test.ts`, "that the agent declares: a call without a result"],
      file: [`${AI}files.test.ts`, "are stored once, and come back by their paths"],
      source: [`${SSE}dialects/what-comes-out.test.ts`, "are activities, which stay in their places"],
      output: [`${SSE}dialects/outputs.test.ts`, "is in the state while it grows"],
      expiry: [`${AG}ag-ui-elsewhere.test.ts`, "is no longer in the way of a message"],
    },
  },
  {
    name: "CopilotKit",
    about: "`@copilotkit/core` with the agent of [Use AG-UI or CopilotKit](guide/ag-ui.md), over `agUi()`.",
    packages: ["@copilotkit/core"],
    cells: {
      reload: [`${AG}copilotkit-page.test.ts`, "resumes after a reload in the middle of an answer"],
      "two tabs": thread("in two tabs at one question"),
      stop: copilot("its stop button stops the run"),
      retry: copilot("running it again after an error answers anew"),
      approval: copilot("an approval stays an interrupt"),
      question: copilot("human-in-the-loop tool answers the question"),
      "page tool": [`${AG}frontend-tools.test.ts`, "that the page offers: once, with their input"],
      file: thread("sends a file, and has it by its path"),
      source: thread("has a source as an activity"),
      output: thread("has the run's output in its state"),
      expiry: thread("goes on by a message after a question has expired"),
    },
  },
  {
    name: "assistant-ui",
    about:
      "`@assistant-ui/react` with its runtime for the AI SDK 7 over `aiSdk()`, in Chromium; see [Use assistant-ui](guide/assistant-ui.md).",
    packages: ["@assistant-ui/react"],
    cells: {
      reload: assistant("sends, and resumes after a reload in the middle of an answer"),
      "two tabs": assistant("an answer after that of the other tab is refused"),
      stop: assistant("stops the run by its own button"),
      retry: assistant("shows a failure, also after a reload, and retries it"),
      approval: assistant("asks for approval, and the user presses %s"),
      question: assistant("asks a question, also after a reload"),
      "page tool": assistant("runs a tool of the page"),
      file: assistant("sends a file, and shows sources and the output"),
      source: assistant("sends a file, and shows sources and the output"),
      output: assistant("sends a file, and shows sources and the output"),
      expiry: assistant("has an answer by itself once a question has expired"),
    },
  },
  {
    name: "ASP v2",
    about: "`createAspClient()` of `@pawl/client/asp` over `asp()`.",
    cells: {
      reload: [`${OWN}asp-failures.test.ts`, "a reloaded page reads a run in progress"],
      "two tabs": every("in two tabs at one question"),
      stop: [`${OWN}asp-failures.test.ts`, "stop() ends the run"],
      retry: [`${OWN}asp-failures.test.ts`, "runs a failed message again"],
      approval: every("asks for approval, also after a reload"),
      question: [`${OWN}asp-client.test.ts`, "shows calls that wait, answers each"],
      "page tool": every("answers for a tool of the page"),
      file: { because: "A message of ASP v2 is a text." },
      source: { because: "ASP v2 has no event for sources." },
      output: { because: "ASP v2 has no event for outputs." },
      expiry: every("refuses an answer to a question that has expired"),
    },
  },
  {
    name: "`eventsource`",
    about: "`EventSource` and `fetch` over `native()`, with `reduceView()` of `@pawl/core/view`.",
    packages: ["eventsource"],
    cells: {
      reload: [`${SSE}stream/resume.test.ts`, "misses nothing and sees nothing twice"],
      "two tabs": routes("of many answers at once exactly one counts"),
      stop: routes("stops a run"),
      retry: plain("retries a failed run, in two tabs at once"),
      approval: plain("asks for approval, answered with %s"),
      question: routes("a question closes the stream, and its answer continues the run"),
      "page tool": plain("answers for a tool of the page"),
      file: plain("sends a file that it has uploaded"),
      source: plain("shows a source and the run's output"),
      output: plain("shows a source and the run's output"),
      expiry: plain(`${EXPIRED} a later answer is refused`),
    },
  },
];
