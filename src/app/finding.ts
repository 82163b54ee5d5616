/** One thing that `doctor` has found. */
export interface Finding {
  readonly area: "config" | "policy" | "storage" | "engine" | "server" | "skills";
  /** Which server or engine, when it is about one. */
  readonly server?: string;
  readonly engine?: string;
  /** `fail` is what stands in the way of use; `off` is what is not there and not needed. */
  readonly status: "ok" | "off" | "warn" | "fail";
  readonly message: string;
  readonly fix?: string;
  readonly milliseconds?: number;
}
