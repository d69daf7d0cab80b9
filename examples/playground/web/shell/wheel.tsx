/**
 * The page's logo, a ratchet wheel. With `turning` it moves tooth by tooth, which shows that an agent is
 * working.
 */
export function Wheel({ turning = false, className = "" }: { turning?: boolean; className?: string }) {
  return (
    <svg
      className={`wheel ${turning ? "wheel-turning" : ""} ${className}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path
        fillRule="evenodd"
        d="M12.00 1.00L17.27 6.52L19.78 4.22L19.60 11.85L23.00 12.00L17.48 17.27L19.78 19.78L12.15 19.60L12.00 23.00L6.73 17.48L4.22 19.78L4.40 12.15L1.00 12.00L6.52 6.73L4.22 4.22L11.85 4.40ZM12 9.4a2.6 2.6 0 1 0 0 5.2a2.6 2.6 0 1 0 0-5.2Z"
      />
    </svg>
  );
}
