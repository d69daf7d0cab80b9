import { Component, type ReactNode } from "react";

interface BoundaryProps {
  /** What is shown within. When it changes, what has failed is tried again. */
  of: string | undefined;
  /** Shown where it fails. Default: what happened, and the way to load the page again. */
  instead?: ReactNode;
  children: ReactNode;
}

/** Around what is loaded when it is needed: where that fails, the rest of the page stays. */
export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state: { failed: boolean } = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidUpdate(before: BoundaryProps, state: { failed: boolean }): void {
    if (state.failed && before.of !== this.props.of) this.setState({ failed: false });
  }

  override render(): ReactNode {
    const { children, instead = <NotShown /> } = this.props;
    return this.state.failed ? instead : children;
  }
}

function NotShown() {
  return (
    <div className="not-shown" role="alert" data-testid="not-shown">
      <p>
        This part of the page could not be loaded. Perhaps the connection is gone, or there is a newer version
        of the page. Nothing of your conversations is lost.
      </p>
      <button type="button" className="text-button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  );
}
