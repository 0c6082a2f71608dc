# Written by test/lint/job_kinds.py.
set(BUILTIN_KINDS
    appwrapper
    jaxjob
    jobset
    mpijob
    paddlejob
    pytorchjob
    raycluster
    rayjob
    rayservice
    sparkapplication
    tfjob
    trainjob
    xgboostjob)
