import { expect, test } from "vitest";
import { testLimits } from "../limits.fixture.ts";
import { type ContainerPlan, memoryBytes, runArguments } from "./run-arguments.ts";

const limits = testLimits;

const plan: ContainerPlan = {
  name: "mcp-coordinator-7-abc",
  owner: "7.1.2.x",
  image: "an-image",
  language: "python",
  limits,
  readable: new Map([["/guest", '/home/a, b/"c":d']]),
  profile: "/opt/a b/profile.json",
  dialect: ["--init"],
  env: new Map([["NO_COLOR", "1"]]),
  command: ["python3", "-I", "/guest/main.py"],
};

test("a container gets the flags of its limits, no environment but ours, and nothing to pull", () => {
  expect(runArguments(plan)).toEqual([
    ...["run", "--rm", "--interactive", "--pull", "never", "--name", "mcp-coordinator-7-abc"],
    ...[
      "--label",
      "mcp-coordinator.owner=7.1.2.x",
      "--network",
      "none",
      "--ipc",
      "none",
      "--cgroupns",
      "private",
      "--hostname",
      "sandbox",
    ],
    ...["--user", "65534:65534", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...["--security-opt", "seccomp=/opt/a b/profile.json", "--read-only"],
    ...["--tmpfs", "/tmp:rw,nosuid,nodev,noexec,mode=1777,size=8m", "--workdir", "/tmp"],
    ...["--memory", "159383552b", "--memory-swap", "159383552b", "--pids-limit", "32", "--ulimit", "cpu=20:21"],
    ...["--ulimit", "nofile=128:128", "--ulimit", "nproc=2048:2048", "--ulimit", "core=0:0"],
    ...["--log-driver", "none", "--no-healthcheck"],
    ...["--mount", 'type=bind,"source=/home/a, b/""c"":d",target=/guest,readonly', "--init"],
    ...["--entrypoint", "/usr/bin/env", "--", "an-image", "-i", "NO_COLOR=1", "python3", "-I", "/guest/main.py"],
  ]);
});

test("scratch and the runtime's own memory come on top of what a guest may have", () => {
  expect(memoryBytes("python", limits)).toBe((128 + 8 + 16) * 1024 * 1024);
  expect(memoryBytes("typescript", limits)).toBe((128 + 8 + 48) * 1024 * 1024);
});
