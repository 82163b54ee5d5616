import { errno, Failure } from "./files.ts";

/** A system call that answers with a number or nothing, and with the negative number of its failure. */
export function systemCall<A extends unknown[]>(body: (...args: A) => unknown) {
  return (...args: A): number => {
    try {
      const result = body(...args);
      return typeof result === "number" ? result : 0;
    } catch (thrown) {
      if (thrown instanceof Failure) return -thrown.number;
      throw thrown;
    }
  };
}

/** The same with the positive number, for calls that put their answer elsewhere. */
export function wasiCall<A extends unknown[]>(body: (...args: A) => void) {
  const call = systemCall(body);
  return (...args: A): number => -call(...args);
}

/** A system call that there is not. */
export function refuse(number: number) {
  return (): number => -number;
}

export function answer<T>(value: T) {
  return (): T => value;
}

/** A size or an offset: not negative, and no larger than a number can say. */
export function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new Failure(errno.overflow);
  return number;
}
