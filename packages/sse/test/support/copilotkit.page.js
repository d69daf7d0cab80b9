// A page with CopilotKit's core and the agent of the README. The user is asked by a tool of the page, as useHumanInTheLoop does it.
import { HttpAgent } from "@ag-ui/client-0.0.59";
import { CopilotKitCore } from "@copilotkit/core";

const headers = { authorization: "Bearer ada" };

class PageAgent extends HttpAgent {
  connectAgent(...asked) {
    this.pendingInterrupts = [];
    this.abortController = new AbortController();
    return super.connectAgent(...asked);
  }
  connect(input) {
    return this.run({ ...input, messages: [] });
  }
  abortRun() {
    super.abortRun();
    const stop = `/api/coach/sessions/${encodeURIComponent(this.threadId)}/stop`;
    void fetch(stop, { method: "POST", headers: this.headers });
  }
}

const made = new PageAgent({ url: `${location.origin}/api/coach/runs`, threadId: "t", headers });
const core = new CopilotKitCore({ agents__unsafe_dev_only: { default: made } });
const agent = core.getAgent("default");
let status = "ready";
let error;
let question;

core.addTool({
  name: "confirm",
  type: "human-in-the-loop",
  description: "Asks the user.",
  handler: ({ question: text }) =>
    new Promise((resolve) => {
      const answer = (yes) => {
        question = undefined;
        resolve({ yes });
      };
      question = { text, answer };
      show();
    }),
});
core.subscribe({
  onError: ({ error: cause }) => {
    error = cause.message;
    show();
  },
});
agent.subscribe({ onMessagesChanged: () => show() });

async function during(work) {
  status = "running";
  error = undefined;
  show();
  await work();
  status = "ready";
  show();
}

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const button = (text, onclick) => make("button", { type: "button", textContent: text, onclick });
const talk = make("main", {});
const input = make("input", { ariaLabel: "Message" });
const send = (event) => {
  event.preventDefault();
  agent.addMessage({ id: crypto.randomUUID(), role: "user", content: input.value });
  input.value = "";
  void during(() => core.runAgent({ agent }));
};
const form = make("form", { onsubmit: send }, input, make("button", { textContent: "Send" }));
const stop = button("Stop", () => core.stopAgent({ agent }));
const output = make("output", {});
form.append(stop);
document.body.append(talk, form, output);

function show() {
  const texts = agent.messages.filter(({ role, content }) => role !== "tool" && content);
  const articles = texts.map(({ role, content }) =>
    make("article", { className: role }, make("p", { textContent: content })),
  );
  const asked = question && [
    make("legend", { textContent: question.text }),
    button("Yes", () => question.answer(true)),
    button("No", () => question.answer(false)),
  ];
  const retry = () => void during(() => core.runAgent({ agent }));
  const alert = error && make("div", { role: "alert" }, error, button("Retry", retry));
  talk.replaceChildren(
    ...articles,
    ...(asked ? [make("fieldset", {}, ...asked)] : []),
    ...(alert ? [alert] : []),
  );
  output.textContent = status;
}

void during(() => core.connectAgent({ agent }));
