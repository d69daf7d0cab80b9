/**
 * Past the lists, for those who come by keyboard. The address belongs to the session, so the focus is moved
 * by hand.
 */
export function SkipLink({ to }: { to: string }) {
  return (
    <a
      className="skip"
      href={`#${to}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(to)?.focus();
      }}
    >
      Skip to the conversation
    </a>
  );
}
