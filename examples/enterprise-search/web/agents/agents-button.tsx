import { useEffect, useId, useRef, useState } from "react";
import type { Person } from "../base/server.ts";
import { AgentsView } from "./agents-view.tsx";

/**
 * The button that shows the agents, in a dialog over the page. A closed dialog keeps its half-written form.
 */
export function AgentsButton({ person, people }: { person: Person; people: readonly Person[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [isOpen, setOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  const open = () => {
    setWasOpen(true);
    setOpen(true);
    if (!dialog.current?.open) dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" className="es-more" onClick={open} aria-haspopup="dialog" data-testid="es-agents">
        Agents
      </button>
      <dialog
        ref={dialog}
        className="es-agents"
        aria-labelledby={title}
        // The event comes late: the dialog may be open again by then.
        onClose={() => setOpen(dialog.current?.open === true)}
        data-testid="es-agents-dialog"
      >
        <header>
          <h2 id={title}>Agents</h2>
          <button type="button" className="es-agents-close" onClick={() => setOpen(false)}>
            <span aria-hidden="true">×</span>
            <span className="unseen">Close</span>
          </button>
        </header>
        {wasOpen && <AgentsView person={person} people={people} isShown={isOpen} />}
      </dialog>
    </>
  );
}
