{{- /* The kinds that the configuration turns on, its own (integrations.jobKinds) and those of ConfigMaps
too, as a JSON object with the member `kinds`. Kinds that serve turn on pods; where `pod` is not
listed, only those that are held back for them (heldAlone). */ -}}
{{- define "sluice.jobKinds" -}}
{{- $known := include "sluice.knownJobKinds" . | fromYaml }}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- $kinds := list }}
{{- $frameworks := dig "integrations" "frameworks" (list) $configuration }}
{{- $serves := false }}
{{- range $frameworks }}
{{- if hasKey $known . }}
{{- $kinds = append $kinds (get $known .) }}
{{- $serves = or $serves (dig "serves" false (get $known .)) }}
{{- end }}
{{- end }}
{{- if and $serves (not (has "pod" $frameworks)) }}
{{- $kinds = append $kinds (merge (dict "heldAlone" true) (get $known "pod")) }}
{{- end }}
{{- range dig "integrations" "jobKinds" (list) $configuration }}
{{- $kind := lower .kind }}
{{- $kinds = append $kinds (dict
      "group" (splitList "/" .apiVersion | first) "version" (splitList "/" .apiVersion | last)
      "kind" $kind "resource" (default (printf "%ss" $kind) .resource)) }}
{{- end }}
{{- range .Values.describedJobKinds }}
{{- $kind := lower .kind }}
{{- $kinds = append $kinds (dict
      "group" (splitList "/" .apiVersion | first) "version" (splitList "/" .apiVersion | last)
      "kind" $kind "resource" (default (printf "%ss" $kind) .resource)) }}
{{- end }}
{{- dict "kinds" $kinds | toJson }}
{{- end }}

{{- /* The kinds that are not turned on, but may stand between jobs and what manages them, as a JSON
object with the member `kinds`. There are some if a kind is turned on whose objects have children that
are jobs (neither batch/job nor pod). What makes pods alone (`ofPods`) is needed where pods are jobs. */ -}}
{{- define "sluice.passedKinds" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- $frameworks := dig "integrations" "frameworks" (list "batch/job") $configuration }}
{{- $above := without $frameworks "batch/job" "pod" | empty | not }}
{{- $above = or $above (dig "integrations" "externalFrameworks" (list) $configuration | empty | not) }}
{{- $above = or $above (dig "integrations" "jobKinds" (list) $configuration | empty | not) }}
{{- $above = or $above (empty .Values.describedJobKinds | not) }}
{{- $kinds := list }}
{{- if and $above .Values.followDisabledOwners }}
{{- range $framework, $kind := include "sluice.knownJobKinds" . | fromYaml }}
{{- $isNeeded := or (has "pod" $frameworks) (not $kind.serves) }}
{{- if and $isNeeded (ne $framework "pod") (not (has $framework $frameworks)) }}
{{- $kinds = append $kinds (pick $kind "group" "resource") }}
{{- end }}
{{- end }}
{{- if has "pod" $frameworks }}
{{- if not (has "batch/job" $frameworks) }}
{{- $kinds = append $kinds (dict "group" "batch" "resource" "jobs") }}
{{- end }}
{{- if not (has "deployment" $frameworks) }}
{{- $kinds = append $kinds (dict "group" "apps" "resource" "replicasets") }}
{{- end }}
{{- end }}
{{- end }}
{{- dict "kinds" $kinds | toJson }}
{{- end }}

{{- /* "true" where batch Jobs are managed. */ -}}
{{- define "sluice.managesBatchJobs" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- $frameworks := dig "integrations" "frameworks" (list) $configuration }}
{{- or (empty $frameworks) (has "batch/job" $frameworks) }}
{{- end }}

{{- /* "true" if the controller changes pods: those that are jobs, or those that it ungates. */ -}}
{{- define "sluice.writesPods" -}}
{{- $writes := eq (include "sluice.ungatesPods" .) "true" }}
{{- range (include "sluice.jobKinds" . | fromJson).kinds }}
{{- $writes = or $writes (eq .resource "pods") }}
{{- end }}
{{- $writes }}
{{- end }}

{{- /* "true" with manageJobsWithoutQueueName, else "". */ -}}
{{- define "sluice.managesAll" -}}
{{- if dig "manageJobsWithoutQueueName" false (include "sluice.configuration" . | fromJson) }}true
{{- end }}
{{- end }}

{{- /* The webhooks that give jobs of a kind their defaults. Takes root and kind. */ -}}
{{- define "sluice.mutatingJobWebhooks" -}}
{{- $root := .root }}
{{- with .kind }}
{{- $path := printf "/mutate-%s-%s-%s" (replace "." "-" .group) .version .kind }}
{{- $isPod := eq .resource "pods" }}
{{- if not .heldAlone }}
- name: m{{ .kind }}.kb.io
  admissionReviewVersions: [v1]
  {{ include "sluice.webhookClient" (dict "root" $root "path" $path) }}
  failurePolicy: {{ $root.Values.webhooks.queuedJobsFailurePolicy }}
  reinvocationPolicy: {{ $root.Values.mutatingWebhook.reinvocationPolicy }}
  sideEffects: None
  objectSelector:
    matchExpressions:
    - {key: kueue.x-k8s.io/queue-name, operator: Exists}
  namespaceSelector:
    {{- include "sluice.managedNamespaces" $root | nindent 4 }}
  rules:
  - apiGroups: [{{ default (quote "") .group }}]
    apiVersions: [{{ .version }}]
    {{- if .serves }}
    operations: [CREATE, UPDATE]
    {{- else }}
    operations: [CREATE]
    {{- end }}
    resources: [{{ .resource }}]
  {{- if .serves }}
  matchConditions:
  - name: not-being-deleted
    expression: "!has(object.metadata.deletionTimestamp)"
  {{- end }}
{{- end }}
{{- if $isPod }}
# Pods that are gated for the object that creates them.
- name: mheld{{ .kind }}.kb.io
  admissionReviewVersions: [v1]
  {{ include "sluice.webhookClient" (dict "root" $root "path" $path) }}
  failurePolicy: {{ $root.Values.webhooks.queuedJobsFailurePolicy }}
  reinvocationPolicy: {{ $root.Values.mutatingWebhook.reinvocationPolicy }}
  sideEffects: None
  {{- if not .heldAlone }}
  objectSelector:
    matchExpressions:
    - {key: kueue.x-k8s.io/queue-name, operator: DoesNotExist}
  {{- end }}
  namespaceSelector:
    {{- include "sluice.managedNamespaces" $root | nindent 4 }}
  rules:
  - apiGroups: [""]
    apiVersions: [{{ .version }}]
    operations: [CREATE]
    resources: [{{ .resource }}]
  matchConditions:
  - name: is-held
    expression: >-
      'kueue.x-k8s.io/pod-suspending-parent' in object.metadata.?annotations.orValue({})
{{- end }}
{{- if or (not (or .serves .heldAlone)) (and .serves (include "sluice.managesAll" $root)) }}
# Jobs without a queue get the LocalQueue `default`, if it exists. With manageJobsWithoutQueueName
# they are also suspended.
- name: munqueued{{ .kind }}.kb.io
  admissionReviewVersions: [v1]
  {{ include "sluice.webhookClient" (dict "root" $root "path" $path) }}
  failurePolicy: {{ $root.Values.webhooks.otherJobsFailurePolicy }}
  timeoutSeconds: {{ $root.Values.webhooks.otherJobsTimeoutSeconds }}
  reinvocationPolicy: {{ $root.Values.mutatingWebhook.reinvocationPolicy }}
  sideEffects: None
  objectSelector:
    matchExpressions:
    - {key: kueue.x-k8s.io/queue-name, operator: DoesNotExist}
  namespaceSelector:
    {{- include "sluice.managedNamespaces" $root | nindent 4 }}
  rules:
  - apiGroups: [{{ default (quote "") .group }}]
    apiVersions: [{{ .version }}]
    operations: [CREATE]
    resources: [{{ .resource }}]
  {{- if $isPod }}
  matchConditions:
  # Otherwise mheld{{ .kind }}.kb.io is called.
  - name: is-not-held
    expression: >-
      !('kueue.x-k8s.io/pod-suspending-parent' in object.metadata.?annotations.orValue({}))
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The webhooks that judge jobs of a kind. Takes root and kind. */ -}}
{{- define "sluice.validatingJobWebhooks" -}}
{{- $root := .root }}
{{- with .kind }}
{{- $path := printf "/validate-%s-%s-%s" (replace "." "-" .group) .version .kind }}
- name: v{{ .kind }}.kb.io
  admissionReviewVersions: [v1]
  {{ include "sluice.webhookClient" (dict "root" $root "path" $path) }}
  failurePolicy: {{ $root.Values.webhooks.queuedJobsFailurePolicy }}
  sideEffects: None
  # For an update, either the old or the new object must match.
  objectSelector:
    matchExpressions:
    - {key: kueue.x-k8s.io/queue-name, operator: Exists}
  namespaceSelector:
    {{- include "sluice.managedNamespaces" $root | nindent 4 }}
  rules:
  - apiGroups: [{{ default (quote "") .group }}]
    apiVersions: [{{ .version }}]
    operations: [CREATE, UPDATE]
    resources: [{{ .resource }}]
  matchConditions:
  - name: not-by-sluice
    expression: >-
      request.userInfo.username !=
      'system:serviceaccount:{{ $root.Release.Namespace }}:{{ include "sluice.manager" $root }}'
  - name: not-being-deleted
    expression: "!has(object.metadata.deletionTimestamp)"
{{- if .heldAlone }}
  - name: is-held
    expression: >-
      'kueue.x-k8s.io/pod-suspending-parent' in object.metadata.?annotations.orValue({})
{{- end }}
{{- if or (not (or .serves .heldAlone)) (and .serves (include "sluice.managesAll" $root)) }}
- name: vunqueued{{ .kind }}.kb.io
  admissionReviewVersions: [v1]
  {{ include "sluice.webhookClient" (dict "root" $root "path" $path) }}
  failurePolicy: {{ $root.Values.webhooks.otherJobsFailurePolicy }}
  timeoutSeconds: {{ $root.Values.webhooks.otherJobsTimeoutSeconds }}
  sideEffects: None
  objectSelector:
    matchExpressions:
    - {key: kueue.x-k8s.io/queue-name, operator: DoesNotExist}
  namespaceSelector:
    {{- include "sluice.managedNamespaces" $root | nindent 4 }}
  rules:
  - apiGroups: [{{ default (quote "") .group }}]
    apiVersions: [{{ .version }}]
    {{- if include "sluice.managesAll" $root }}
    operations: [CREATE, UPDATE]
    {{- else }}
    operations: [CREATE]
    {{- end }}
    resources: [{{ .resource }}]
  matchConditions:
  - name: not-by-sluice
    expression: >-
      request.userInfo.username !=
      'system:serviceaccount:{{ $root.Release.Namespace }}:{{ include "sluice.manager" $root }}'
  - name: not-being-deleted
    expression: "!has(object.metadata.deletionTimestamp)"
  # Otherwise v{{ .kind }}.kb.io reviews it.
  - name: names-no-queue
    expression: >-
      ![object, oldObject].exists(job, job != null &&
      'kueue.x-k8s.io/queue-name' in job.metadata.?labels.orValue({}))
{{- end }}
{{- end }}
{{- end }}
