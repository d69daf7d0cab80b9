import type { ViewMessage, ViewPart } from "@pawl/core/view";
import { useEffect, useState } from "react";
import { rocketLeagueFace } from "../index.ts";
import type { Shown } from "./shown.ts";

const face = rocketLeagueFace({ readBudget });

/** The coach's parts without a page around them. A test serves what they show, and changes it. */
export function Gallery() {
  const [shown, show] = useState<Shown>();
  useEffect(() => {
    const load = () => void read().then(show);
    load();
    addEventListener("shown", load);
    return () => removeEventListener("shown", load);
  }, []);
  if (shown === undefined) return null;
  const messages = [messageOf(shown.parts)];
  const { Label, Thinking, panel, parts } = face;
  return (
    <>
      <header data-testid="label">
        <Label messages={messages} type="" working={shown.live} />
      </header>
      <div className="message message-coach">
        {shown.parts.map((part) => {
          if (part.type === "thinking") return <Thinking key={part.key} text={part.text} open={part.open} />;
          if (part.type !== "tool") return null;
          const Call = parts.get(part.toolName);
          return Call && <Call key={part.key} part={part} live={shown.live} />;
        })}
      </div>
      <aside data-testid="panel">
        <panel.Panel messages={messages} working={shown.live} />
      </aside>
    </>
  );
}

async function readBudget() {
  const { budget } = await read();
  if (budget === null) throw new Error("No budget.");
  return budget;
}

async function read(): Promise<Shown> {
  return (await (await fetch("/shown.json")).json()) as Shown;
}

function messageOf(parts: ViewPart[]): ViewMessage {
  return { id: "m1", role: "assistant", text: "", parts, seq: 1 };
}
