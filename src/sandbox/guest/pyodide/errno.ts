/** Error numbers as the C library of the WebAssembly build knows them. */
export const errno = {
  access: 2,
  badDescriptor: 8,
  busy: 10,
  exists: 20,
  invalid: 28,
  isFolder: 31,
  loop: 32,
  tooManyOpen: 33,
  nameTooLong: 37,
  noDevice: 43,
  notFound: 44,
  noMemory: 48,
  noSpace: 51,
  notImplemented: 52,
  notFolder: 54,
  notEmpty: 55,
  noTerminal: 59,
  overflow: 61,
  notPermitted: 63,
  range: 68,
  noSeek: 70,
} as const;

/** A system call that failed. */
export class SystemCallFailure {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}
