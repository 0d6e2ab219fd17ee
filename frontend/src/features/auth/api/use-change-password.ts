import { useMutation } from "@tanstack/react-query";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { type CodedText, useCodedText } from "@/shared/i18n/language";
import { ask, faultsOf } from "./account";

export interface PasswordChange {
  current_password: string;
  new_password: string;
}

/** Another password for whoever is signed in; this session goes on, all others end. */
export function useChangePassword(onChanged: () => void) {
  const coded = useCodedText();
  return useMutation({
    mutationFn: (body: PasswordChange) => change(body, coded),
    onSuccess: onChanged,
  });
}

/** Every fault at its field; 401 says that the session has ended, not that it was changed. */
async function change(body: PasswordChange, coded: CodedText): Promise<void> {
  const response = await ask("POST", "/account/password/change", body);
  if (response.ok) return;
  const faults = response.status === 401 ? [] : await faultsOf(response);
  const errors = faults.map(({ param, code = "", message }) => ({
    pointer: param ? `/${param}` : "",
    code,
    detail: coded(`api:problem.${code}`) ?? message,
  }));
  const said = { code: errors[0]?.code, detail: errors[0]?.detail, errors };
  throw new ProblemError(readProblem(response.status, said, ""));
}
