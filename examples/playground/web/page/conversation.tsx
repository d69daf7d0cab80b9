import type { UseAgent } from "@pawl/client/react";
import { type Dispatch, type SetStateAction, useEffect, useMemo, useRef, useState } from "react";
import { Composer } from "../composer/composer.tsx";
import { type Field, goToField } from "../composer/focus.ts";
import { TalkContext, type Talk as Talking, useFace } from "../face/face.ts";
import { DropTarget } from "../files/attach.tsx";
import { SendingContext } from "../files/sending-files.ts";
import { useIncoming } from "../files/use-incoming.ts";
import { useTray } from "../files/use-tray.ts";
import { useStickToEnd } from "../hooks/use-stick-to-end.ts";
import { Replayed } from "../inspector/replayed.tsx";
import { Scrubber } from "../inspector/scrubber.tsx";
import type { Replay } from "../inspector/use-replay.ts";
import { Boundary } from "../shell/boundary.tsx";
import { Announcer } from "../thread/announcer.tsx";
import { isWorking, Thread } from "../thread/thread.tsx";
import { useFailure } from "../thread/use-failure.ts";
import { type Delivery, useDelivery } from "./use-delivery.ts";

const MAX_MESSAGE = 4_000;

interface ConversationProps {
  agent: UseAgent;
  field: Field;
  /** The name of the tool whose input the model is writing. */
  writes: string | undefined;
  replay: Replay;
  maxMessage?: number;
}

/** The conversation with its message box, or its replay with a scrubber. */
export function Conversation({ replay, ...talk }: ConversationProps) {
  const [text, setText] = useState("");
  const delivery = useDelivery(talk.agent, useTray(), setText);
  useFocusAfterReplay(replay.view !== undefined, talk.field);
  if (replay.view === undefined) return <Talk {...talk} {...{ text, setText, delivery }} />;
  return (
    <>
      <Boundary of="replay">
        <Replayed view={replay.view} />
      </Boundary>
      <div className="composer-row">
        <div className="to-end-row" />
        <Scrubber replay={replay} />
      </div>
    </>
  );
}

interface TalkProps extends Omit<ConversationProps, "replay"> {
  text: string;
  setText: Dispatch<SetStateAction<string>>;
  delivery: Delivery;
}

function Talk(props: TalkProps) {
  const { agent, field, writes, maxMessage = MAX_MESSAGE, text, setText, delivery } = props;
  const { Attached, files: takesFiles = false } = useFace();
  const tray = takesFiles ? delivery.tray : undefined;
  const isDragging = useIncoming(tray?.add);
  const scroll = useStickToEnd(agent.messages.length > 0);
  const working = isWorking(agent.phase);
  const loading = agent.sessionId !== undefined && agent.messages.length === 0 && agent.error === undefined;

  const send = (message: string, withFiles = false): void => {
    setText("");
    scroll.toEnd();
    delivery.send(message, withFiles);
  };
  // Moves the focus to the text field, because the pressed button disappears.
  const sendByButton = (message: string, withFiles = false): void => {
    goToField(field);
    send(message, withFiles);
  };
  // A message that was refused is sent again with its files, which are back in the tray.
  const again = (message: string) => sendByButton(message, message === agent.error?.text);
  const problem = useFailure(delivery.agent, again, setText, delivery.hasArrived);
  const { toEnd } = scroll;
  // Scrolls to the end when another session is shown.
  useEffect(toEnd, [toEnd, agent.sessionId]);
  useFocusAfterAnswer(agent.pending.length, field);

  return (
    <>
      <TalkContext value={useTalking(sendByButton, working)}>
        <SendingContext value={delivery.sending}>
          <Thread
            {...{ agent, writes, scroll, loading, ...problem }}
            onSend={sendByButton}
            onAgain={() => {
              goToField(field);
              scroll.toEnd();
              void agent.retry();
            }}
          />
        </SendingContext>
      </TalkContext>
      {isDragging && <DropTarget />}
      <div className="composer-row">
        <div className="to-end-row">
          {!scroll.atEnd && (
            <button type="button" className="to-end" onClick={scroll.toEnd} data-testid="to-end">
              Latest
            </button>
          )}
        </div>
        {Attached !== undefined && <Attached />}
        <Composer
          {...{ text, setText, working, field, tray }}
          maxLength={maxMessage}
          onSend={(message) => send(message, true)}
          onStop={delivery.stop}
        />
      </div>
      <Boundary of={agent.sessionId} instead={null}>
        <Announcer
          messages={agent.messages}
          working={working}
          question={questionIn(agent.pending[0]?.payload)}
          failed={agent.run?.failed === true}
        />
      </Boundary>
    </>
  );
}

/**
 * Returns the actions for parts of messages. The object stays the same while a text grows, so that the parts
 * are not rendered again.
 */
function useTalking(send: (text: string) => void, busy: boolean): Talking {
  const latest = useRef(send);
  latest.current = send;
  return useMemo(() => ({ busy, say: (text) => latest.current(text) }), [busy]);
}

/**
 * Moves the focus to the text field if it was on a question's button and the answered question has
 * disappeared.
 */
function useFocusAfterAnswer(pending: number, field: Field): void {
  const before = useRef(pending);
  useEffect(() => {
    if (before.current > pending && document.activeElement === document.body) goToField(field);
    before.current = pending;
  }, [pending, field]);
}

/** Moves the focus to the text field if it was on the button that ended the replay. */
function useFocusAfterReplay(replays: boolean, field: Field): void {
  const before = useRef(replays);
  useEffect(() => {
    if (before.current && !replays && document.activeElement === document.body) goToField(field);
    before.current = replays;
  }, [replays, field]);
}

function questionIn(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  const { question, context, tool } = payload as { question?: unknown; context?: unknown; tool?: unknown };
  const words = [question, context].find((text) => typeof text === "string");
  // An approval's payload has no question; it names the tool that waits for approval.
  return words ?? (typeof tool === "string" ? "Your approval is needed." : undefined);
}
