{{- /* The kinds of jobs that Sluice knows beside batch Jobs, by their names in
integrations.frameworks. */ -}}
{{- define "sluice.knownJobKinds" -}}
jobset.x-k8s.io/jobset: {group: jobset.x-k8s.io, version: v1alpha2, kind: jobset, resource: jobsets}
kubeflow.org/jaxjob: {group: kubeflow.org, version: v1, kind: jaxjob, resource: jaxjobs}
kubeflow.org/mpijob: {group: kubeflow.org, version: v2beta1, kind: mpijob, resource: mpijobs}
kubeflow.org/paddlejob: {group: kubeflow.org, version: v1, kind: paddlejob, resource: paddlejobs}
kubeflow.org/pytorchjob: {group: kubeflow.org, version: v1, kind: pytorchjob, resource: pytorchjobs}
kubeflow.org/tfjob: {group: kubeflow.org, version: v1, kind: tfjob, resource: tfjobs}
kubeflow.org/xgboostjob: {group: kubeflow.org, version: v1, kind: xgboostjob, resource: xgboostjobs}
pod: {group: "", version: v1, kind: pod, resource: pods}
ray.io/raycluster: {group: ray.io, version: v1, kind: raycluster, resource: rayclusters}
ray.io/rayjob: {group: ray.io, version: v1, kind: rayjob, resource: rayjobs}
ray.io/rayservice: {group: ray.io, version: v1, kind: rayservice, resource: rayservices}
sparkoperator.k8s.io/sparkapplication: {group: sparkoperator.k8s.io, version: v1beta2, kind: sparkapplication, resource: sparkapplications}
trainer.kubeflow.org/trainjob: {group: trainer.kubeflow.org, version: v1alpha1, kind: trainjob, resource: trainjobs, reads: [clustertrainingruntimes, trainingruntimes]}
workload.codeflare.dev/appwrapper: {group: workload.codeflare.dev, version: v1beta2, kind: appwrapper, resource: appwrappers}
{{- end }}

{{- /* Those that the configuration turns on, its own (integrations.jobKinds) too, as a JSON object
with the member `kinds`. */ -}}
{{- define "sluice.jobKinds" -}}
{{- $known := include "sluice.knownJobKinds" . | fromYaml }}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- $kinds := list }}
{{- range dig "integrations" "frameworks" (list) $configuration }}
{{- if hasKey $known . }}
{{- $kinds = append $kinds (get $known .) }}
{{- end }}
{{- end }}
{{- range dig "integrations" "jobKinds" (list) $configuration }}
{{- $kind := lower .kind }}
{{- $kinds = append $kinds (dict
      "group" (splitList "/" .apiVersion | first) "version" (splitList "/" .apiVersion | last)
      "kind" $kind "resource" (default (printf "%ss" $kind) .resource)) }}
{{- end }}
{{- dict "kinds" $kinds | toJson }}
{{- end }}

{{- /* "true" where batch Jobs are managed. */ -}}
{{- define "sluice.managesBatchJobs" -}}
{{- $configuration := include "sluice.configuration" . | fromJson }}
{{- $frameworks := dig "integrations" "frameworks" (list) $configuration }}
{{- or (empty $frameworks) (has "batch/job" $frameworks) }}
{{- end }}

{{- /* The webhooks that give jobs of a kind their defaults. Takes root and kind. */ -}}
{{- define "sluice.mutatingJobWebhooks" -}}
{{- $root := .root }}
{{- with .kind }}
{{- $path := printf "/mutate-%s-%s-%s" (replace "." "-" .group) .version .kind }}
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
    operations: [CREATE]
    resources: [{{ .resource }}]
# Jobs that name no queue get the LocalQueue `default` where there is one, and are suspended with
# manageJobsWithoutQueueName.
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
  # Of an update either the old or the new object must match.
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
    {{- if dig "manageJobsWithoutQueueName" false (include "sluice.configuration" $root | fromJson) }}
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
  # Else v{{ .kind }}.kb.io judges it.
  - name: names-no-queue
    expression: >-
      ![object, oldObject].exists(job, job != null &&
      'kueue.x-k8s.io/queue-name' in job.metadata.?labels.orValue({}))
{{- end }}
{{- end }}
