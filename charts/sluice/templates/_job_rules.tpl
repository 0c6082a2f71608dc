{{- /* The rules of batch Jobs that need no other object, in CEL: those of the webhook, in its order
and with its words. lib/validation and controller/jobs/batch_job/admission.cpp have them for the
webhook. Left out are the rules of layers of slices, whose annotation is a text of JSON. */ -}}

{{- define "sluice.jobVariables" -}}
{{- $root := . -}}
- name: isUpdate
  expression: request.operation == 'UPDATE'
- name: labels
  expression: object.metadata.?labels.orValue({})
- name: oldLabels
  expression: "variables.isUpdate ? oldObject.metadata.?labels.orValue({}) : {}"
- name: annotations
  expression: object.metadata.?annotations.orValue({})
- name: oldAnnotations
  expression: "variables.isUpdate ? oldObject.metadata.?annotations.orValue({}) : {}"
- name: isSuspended
  expression: object.spec.?suspend.orValue(false)
- name: wasSuspended
  expression: "variables.isUpdate ? oldObject.spec.?suspend.orValue(false) : true"
- name: queue
  expression: variables.labels[?'kueue.x-k8s.io/queue-name'].orValue('')
- name: oldQueue
  expression: variables.oldLabels[?'kueue.x-k8s.io/queue-name'].orValue('')
- name: seconds
  expression: variables.labels[?'kueue.x-k8s.io/max-exec-time-seconds'].orValue('')
- name: priorityClass
  expression: variables.labels[?'kueue.x-k8s.io/priority-class'].orValue('')
- name: oldPriorityClass
  expression: variables.oldLabels[?'kueue.x-k8s.io/priority-class'].orValue('')
{{- $prebuilt := "kueue.x-k8s.io/prebuilt-workload-name" }}
{{- range $name, $from := dict "prebuilt" (list "labels" "annotations") "oldPrebuilt" (list "oldLabels" "oldAnnotations") }}
{{- $label := printf "variables.%s[?'%s'].orValue('')" (first $from) $prebuilt }}
{{- $annotation := printf "variables.%s[?'%s'].orValue('')" (last $from) $prebuilt }}
- name: {{ $name }}InAnnotation
  {{- if eq (include "sluice.gate" (dict "root" $root "name" "WorkloadIdentifierAnnotations")) "false" }}
  expression: size({{ $annotation }}) > 63
  {{- else }}
  expression: {{ $annotation }} != ''
  {{- end }}
- name: {{ $name }}
  expression: >-
    variables.{{ $name }}InAnnotation ?
    {{ $annotation }} :
    {{ $label }}
{{- end }}
- name: prebuiltPath
  expression: >-
    'metadata.' + (variables.prebuiltInAnnotation ? 'annotations' : 'labels') +
    '[kueue.x-k8s.io/prebuilt-workload-name]'
{{- range $name, $annotations := dict "isElastic" "annotations" "wasElastic" "oldAnnotations" }}
- name: {{ $name }}
  {{- if eq (include "sluice.elasticJobs" $root) "false" }}
  expression: "false"
  {{- else }}
  expression: variables.{{ $annotations }}[?'kueue.x-k8s.io/elastic-job'].orValue('') == 'true'
  {{- end }}
{{- end }}
- name: gatedBy
  expression: variables.annotations[?'kueue.x-k8s.io/admission-gated-by'].orValue('')
- name: gates
  expression: >-
    variables.gatedBy.trim() == '' ? [] : variables.gatedBy.split(',').map(gate, gate.trim())
- name: wasGatedBy
  expression: variables.oldAnnotations[?'kueue.x-k8s.io/admission-gated-by'].orValue('')
- name: parallelism
  expression: object.spec.?parallelism.orValue(1)
- name: podCount
  expression: >-
    object.spec.?completions.orValue(variables.parallelism) < variables.parallelism ?
    object.spec.completions : variables.parallelism
- name: minimum
  expression: variables.annotations[?'kueue.x-k8s.io/job-min-parallelism'].orValue('')
# Validated only if it is new.
- name: hasNewMinimum
  expression: >-
    'kueue.x-k8s.io/job-min-parallelism' in variables.annotations && (!variables.isUpdate ||
    variables.minimum !=
    variables.oldAnnotations[?'kueue.x-k8s.io/job-min-parallelism'].orValue(''))
- name: equal
  expression: variables.annotations[?'kueue.x-k8s.io/job-completions-equal-parallelism'].orValue('')
- name: isEqual
  expression: variables.equal in ['1', 't', 'T', 'TRUE', 'true', 'True']
- name: wasEqual
  expression: >-
    variables.oldAnnotations[?'kueue.x-k8s.io/job-completions-equal-parallelism'].orValue('') in
    ['1', 't', 'T', 'TRUE', 'true', 'True']
- name: topology
  expression: object.spec.template.?metadata.?annotations.orValue({})
- name: sliceSize
  expression: variables.topology[?'kueue.x-k8s.io/podset-slice-size'].orValue('')
- name: sliceSizeIsNumber
  expression: >-
    variables.sliceSize.matches('^[+-]?0*[0-9]{1,18}$') &&
    int(variables.sliceSize) >= -2147483648 && int(variables.sliceSize) <= 2147483647
{{- end }}

{{- /* A message that names a text. Takes path, value (CEL) and detail. */ -}}
{{- define "sluice.invalidText" -}}
messageExpression: >-
    '{{ .path }}: Invalid value: "' + {{ .value }} + '": {{ .detail }}'
{{- end }}

{{- define "sluice.jobValidations" -}}
{{ include "sluice.newJobValidations" . }}
{{ include "sluice.changedJobValidations" . }}
{{- if ne (include "sluice.gate" (dict "root" . "name" "TopologyAwareScheduling")) "false" }}
{{ include "sluice.jobTopologyValidations" . }}
{{- end }}
{{- end }}

{{- define "sluice.newJobValidations" -}}
{{- $queue := "metadata.labels[kueue.x-k8s.io/queue-name]" -}}
- expression: >-
    !('kueue.x-k8s.io/queue-name' in variables.labels) ||
    !format.dns1123Subdomain().validate(variables.queue).hasValue()
  messageExpression: >-
    '{{ $queue }}: Invalid value: "' + variables.queue + '": ' +
    format.dns1123Subdomain().validate(variables.queue).value().join(',')
- expression: >-
    !(variables.prebuiltInAnnotation ||
    'kueue.x-k8s.io/prebuilt-workload-name' in variables.labels) ||
    !format.dns1123Subdomain().validate(variables.prebuilt).hasValue()
  messageExpression: >-
    variables.prebuiltPath + ': Invalid value: "' + variables.prebuilt + '": ' +
    format.dns1123Subdomain().validate(variables.prebuilt).value().join(',')
{{- $path := "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]" }}
- expression: >-
    !('kueue.x-k8s.io/max-exec-time-seconds' in variables.labels) ||
    variables.seconds.matches('^0*[0-9]{1,18}$')
  messageExpression: >-
    '{{ $path }}: Invalid value: "' + variables.seconds +
    '": strconv.Atoi: parsing "' + variables.seconds + '": invalid syntax'
- expression: "!variables.seconds.matches('^0+$')"
  message: "{{ $path }}: Invalid value: 0: should be greater than 0"
{{- if ne (include "sluice.gate" (dict "root" . "name" "AdmissionGatedBy")) "false" }}
{{- $path = "metadata.annotations[kueue.x-k8s.io/admission-gated-by]" }}
- expression: variables.gates.all(gate, gate != '')
  {{ include "sluice.invalidText" (dict "path" $path "value" "variables.gatedBy" "detail" "cannot contain empty gate names") }}
- expression: variables.gates.all(gate, variables.gates.exists_one(other, other == gate))
  messageExpression: >-
    '{{ $path }}: Invalid value: "' + variables.gatedBy + '": duplicate gate name: ' +
    variables.gates.filter(gate, !variables.gates.exists_one(other, other == gate))[0]
- expression: variables.gates.all(gate, gate.matches('(?s)^[^/]+/.+$'))
  messageExpression: >-
    '{{ $path }}: Invalid value: "' +
    variables.gates.filter(gate, !gate.matches('(?s)^[^/]+/.+$'))[0] +
    '": must be a domain-prefixed path (such as "acme.io/foo")'
- expression: >-
    variables.gates.all(gate,
    !format.dns1123Subdomain().validate(gate.split('/')[0]).hasValue())
  messageExpression: >-
    '{{ $path }}: Invalid value: "' +
    variables.gates.map(gate, gate.split('/')[0]).filter(domain,
    format.dns1123Subdomain().validate(domain).hasValue())[0] + '": ' +
    format.dns1123Subdomain().validate(variables.gates.map(gate, gate.split('/')[0]).filter(domain,
    format.dns1123Subdomain().validate(domain).hasValue())[0]).value().join(',')
- expression: >-
    variables.gates.all(gate, gate.matches("^[^/]+/[A-Za-z0-9/._~%!$&'()*+,;=:-]+$"))
  messageExpression: >-
    "{{ $path }}: Invalid value: \"" +
    variables.gates.map(gate, gate.substring(gate.indexOf('/') + 1)).filter(rest,
    !rest.matches("^[A-Za-z0-9/._~%!$&'()*+,;=:-]+$"))[0] +
    "\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')"
- expression: variables.gates.all(gate, size(gate) <= 63)
  message: "{{ $path }}: Too long: may not be more than 63 bytes"
{{- end }}
{{- $path = "metadata.annotations[kueue.x-k8s.io/job-min-parallelism]" }}
- expression: >-
    !variables.hasNewMinimum || variables.minimum.matches('^[+-]?0*[0-9]{1,18}$')
  messageExpression: >-
    '{{ $path }}: Invalid value: "' + variables.minimum +
    '": strconv.Atoi: parsing "' + variables.minimum + '": invalid syntax'
- expression: >-
    !variables.hasNewMinimum ||
    int(variables.minimum) > 0 && int(variables.minimum) < variables.podCount
  messageExpression: >-
    '{{ $path }}: Invalid value: ' + string(int(variables.minimum)) +
    ': should be between 0 and ' + string(variables.podCount - 1)
- expression: "!variables.hasNewMinimum || !variables.isElastic"
  {{ include "sluice.invalidText" (dict "path" $path "value" "variables.minimum" "detail" "partial admission and elastic job cannot be used together") }}
{{- $path = "metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]" }}
- expression: >-
    !('kueue.x-k8s.io/job-completions-equal-parallelism' in variables.annotations) ||
    variables.isEqual || variables.equal in ['0', 'f', 'F', 'FALSE', 'false', 'False']
  messageExpression: >-
    '{{ $path }}: Invalid value: "' + variables.equal +
    '": strconv.ParseBool: parsing "' + variables.equal + '": invalid syntax'
- expression: "!variables.isEqual || object.spec.?completionMode.orValue('') == 'Indexed'"
  {{ include "sluice.invalidText" (dict "path" $path "value" "variables.equal" "detail" "should not be enabled for NonIndexed jobs") }}
- expression: >-
    !variables.isEqual || variables.parallelism == object.spec.?completions.orValue(1)
  messageExpression: >-
    'spec.completions: Invalid value: ' +
    (has(object.spec.completions) ? string(object.spec.completions) : 'null') +
    ': should be equal to parallelism when ' +
    'kueue.x-k8s.io/job-completions-equal-parallelism annotation is true'
{{- end }}

{{- define "sluice.changedJobValidations" -}}
- expression: "!variables.isUpdate || variables.isSuspended || variables.queue == variables.oldQueue"
  {{ include "sluice.invalidText" (dict "path" "metadata.labels[kueue.x-k8s.io/queue-name]" "value" "variables.queue" "detail" "field is immutable") }}
- expression: >-
    !variables.isUpdate || variables.isSuspended || variables.wasElastic ||
    variables.prebuilt == variables.oldPrebuilt
  messageExpression: >-
    variables.prebuiltPath + ': Invalid value: "' + variables.prebuilt +
    '": field is immutable'
- expression: >-
    !variables.isUpdate || (variables.isSuspended && variables.wasSuspended) ||
    variables.seconds ==
    variables.oldLabels[?'kueue.x-k8s.io/max-exec-time-seconds'].orValue('')
  {{ include "sluice.invalidText" (dict "path" "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]" "value" "variables.seconds" "detail" "field is immutable") }}
{{- $path := "metadata.labels[kueue.x-k8s.io/priority-class]" }}
- expression: >-
    !variables.isUpdate || variables.isSuspended || variables.oldPriorityClass != '' ||
    variables.priorityClass == ''
  {{ include "sluice.invalidText" (dict "path" $path "value" "variables.priorityClass" "detail" "WorkloadPriorityClass cannot be added to a non-suspended workload") }}
- expression: variables.oldPriorityClass == '' || variables.priorityClass != ''
  message: '{{ $path }}: Invalid value: "": WorkloadPriorityClass cannot be removed from a workload'
- expression: "!variables.isUpdate || variables.isElastic == variables.wasElastic"
  messageExpression: >-
    'metadata.annotations[kueue.x-k8s.io/elastic-job]: Invalid value: ' +
    string(variables.isElastic) + ': field is immutable'
{{- if ne (include "sluice.gate" (dict "root" . "name" "AdmissionGatedBy")) "false" }}
{{- $path = "metadata.annotations[kueue.x-k8s.io/admission-gated-by]" }}
- expression: "!variables.isUpdate || variables.wasGatedBy != '' || variables.gatedBy == ''"
  message: "{{ $path }}: Forbidden: cannot add admission gate after creation"
- expression: >-
    variables.wasGatedBy == '' || variables.gates.all(gate,
    gate in variables.wasGatedBy.split(',').map(old, old.trim()))
  message: "{{ $path }}: Forbidden: can only remove gates, not add new ones"
{{- end }}
- expression: >-
    !variables.isUpdate || variables.wasSuspended ||
    !('kueue.x-k8s.io/job-min-parallelism' in variables.oldAnnotations) ||
    variables.parallelism == oldObject.spec.?parallelism.orValue(1)
  message: "spec.parallelism: Forbidden: cannot change when partial admission is enabled and the job is not suspended"
- expression: >-
    !variables.isUpdate || variables.wasSuspended || variables.isSuspended ||
    variables.isEqual == variables.wasEqual
  message: "metadata.annotations[kueue.x-k8s.io/job-completions-equal-parallelism]: Forbidden: field is immutable while the job is not suspended"
{{- end }}

{{- define "sluice.jobTopologyValidations" -}}
{{- $required := "kueue.x-k8s.io/podset-required-topology" }}
{{- $preferred := "kueue.x-k8s.io/podset-preferred-topology" }}
{{- $unconstrained := "kueue.x-k8s.io/podset-unconstrained-topology" }}
{{- $group := "kueue.x-k8s.io/podset-group-name" }}
{{- $slice := "kueue.x-k8s.io/podset-slice-required-topology" }}
{{- $size := "kueue.x-k8s.io/podset-slice-size" }}
{{- $layers := "kueue.x-k8s.io/podset-slice-required-topology-constraints" }}
{{- $annotations := "spec.template.metadata.annotations" -}}
- expression: >-
    size(['{{ $required }}', '{{ $preferred }}',
    '{{ $unconstrained }}'].filter(key, key in variables.topology)) <= 1
  message: '{{ $annotations }}: Invalid value: must not contain more than one topology annotation: ["{{ $required }}", "{{ $preferred }}", "{{ $unconstrained }}"]'
{{- range $key := list $required $preferred $slice }}
- expression: >-
    !('{{ $key }}' in variables.topology) ||
    !format.qualifiedName().validate(variables.topology['{{ $key }}']).hasValue()
  messageExpression: >-
    '{{ $annotations }}[{{ $key }}]: Invalid value: "' +
    variables.topology['{{ $key }}'] + '": ' +
    format.qualifiedName().validate(variables.topology['{{ $key }}']).value().join(',')
{{- end }}
- expression: "!variables.topology[?'{{ $group }}'].orValue('').matches('^[0-9]+$')"
  {{ include "sluice.invalidText" (dict "path" (printf "%s[%s]" $annotations $group) "value" (printf "variables.topology['%s']" $group) "detail" "must not be a number") }}
{{- range $other := list $size $slice }}
- expression: "!('{{ $group }}' in variables.topology && '{{ $other }}' in variables.topology)"
  message: "{{ $annotations }}[{{ $group }}]: Forbidden: may not be set when '{{ $other }}' is specified"
{{- end }}
- expression: >-
    !('{{ $group }}' in variables.topology) || '{{ $preferred }}' in variables.topology ||
    '{{ $required }}' in variables.topology
  message: "{{ $annotations }}[{{ $group }}]: Forbidden: may not be set when neither '{{ $preferred }}' nor '{{ $required }}' is specified"
- expression: >-
    variables.topology[?'{{ $unconstrained }}'].orValue('true') in
    ['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False']
  {{ include "sluice.invalidText" (dict "path" (printf "%s[%s]" $annotations $unconstrained) "value" (printf "variables.topology['%s']" $unconstrained) "detail" "must be a boolean value") }}
- expression: "!('{{ $size }}' in variables.topology) || variables.sliceSizeIsNumber"
  {{ include "sluice.invalidText" (dict "path" (printf "%s[%s]" $annotations $size) "value" "variables.sliceSize" "detail" "must be a numeric value") }}
- expression: "!variables.sliceSizeIsNumber || int(variables.sliceSize) >= 1"
  {{ include "sluice.invalidText" (dict "path" (printf "%s[%s]" $annotations $size) "value" "variables.sliceSize" "detail" "must be greater than or equal to 1") }}
- expression: "!('{{ $slice }}' in variables.topology) || '{{ $size }}' in variables.topology"
  message: "{{ $annotations }}[{{ $size }}]: Required value: must be set when '{{ $slice }}' is specified"
- expression: "!('{{ $size }}' in variables.topology) || '{{ $slice }}' in variables.topology"
  message: "{{ $annotations }}[{{ $size }}]: Forbidden: may not be set when '{{ $slice }}' is not specified"
{{- if ne (include "sluice.gate" (dict "root" . "name" "TASMultiLayerTopology")) "false" }}
{{- range $other := list $slice $size }}
- expression: "!('{{ $layers }}' in variables.topology && '{{ $other }}' in variables.topology)"
  message: "{{ $annotations }}[{{ $layers }}]: Forbidden: may not be set when '{{ $other }}' is specified"
{{- end }}
- expression: "!('{{ $layers }}' in variables.topology && '{{ $group }}' in variables.topology)"
  message: "{{ $annotations }}[{{ $group }}]: Forbidden: may not be set when '{{ $layers }}' is specified"
{{- else }}
- expression: "!('{{ $layers }}' in variables.topology)"
  message: "{{ $annotations }}[{{ $layers }}]: Forbidden: the TASMultiLayerTopology feature gate must be enabled to use this annotation"
{{- end }}
{{- range $word, $key := dict "preferred" $preferred "required" $required }}
- expression: "!variables.isElastic || !('{{ $key }}' in variables.topology)"
  message: "{{ $annotations }}.{{ $key }}: Forbidden: {{ $word }} topology is not supported with elastic jobs"
{{- end }}
- expression: "!variables.sliceSizeIsNumber || int(variables.sliceSize) <= variables.podCount"
  messageExpression: >-
    '{{ $annotations }}[{{ $size }}]: Invalid value: "' + variables.sliceSize +
    '": must not be greater than pod set count ' + string(variables.podCount)
{{- end }}
