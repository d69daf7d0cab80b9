import { Component, type ReactNode } from "react";

/**
 * Thrown if code of the page cannot be fetched. A reload helps, so {@link Boundary} handles this error, and
 * {@link ErrorBoundary} does not.
 */
export class NotLoaded extends Error {}

interface ErrorBoundaryProps {
  /** Shown if `children` fail to render. */
  instead: ReactNode;
  /** Failed content is rendered again when this value changes. */
  of?: unknown;
  children: ReactNode;
}

/** Wraps one part of the page, so that a rendering failure affects that part only. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override componentDidUpdate(before: ErrorBoundaryProps, { error }: { error?: unknown }): void {
    if (error !== undefined && before.of !== this.props.of) this.setState({ error: undefined });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error instanceof NotLoaded) throw error;
    return error === undefined ? this.props.children : this.props.instead;
  }
}
