"""Services that are refused, or whose fields are filled in, for what they say: ports, addresses and
their families, balancers and traffic."""

import request_script as script

R = script.Request
SERVICES = f"/api/v1/namespaces/{script.NS}/services"
MERGE = "application/merge-patch+json"
PORTS = [{"port": 80}]
NODE_PORTS = [{"port": 80, "nodePort": 30080}]
RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges"


def service(annotations=None, name="refused", **spec):
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, **({"annotations": annotations} if annotations else {})},
        "spec": spec,
    }


def port(**fields):
    return service(ports=[{"port": 80, **fields}])


def with_ports(**spec):
    return service(ports=PORTS, **spec)


def balancer(annotations=None, **spec):
    return service(annotations, type="LoadBalancer", ports=PORTS, **spec)


def external(**spec):
    return service(**{"type": "ExternalName", "externalName": "example.com", **spec})


def affinity(**client):
    return with_ports(sessionAffinity="ClientIP", sessionAffinityConfig={"clientIP": client})


REFUSED = {
    "no ports": service(),
    "two ports without names": service(ports=[{"port": 80}, {"port": 81}]),
    "a name in capitals": port(name="A"),
    "a name twice": service(ports=[{"port": 80, "name": "a"}, {"port": 81, "name": "a"}]),
    "a port twice": service(ports=[{"port": 80, "name": "a"}, {"port": 80, "name": "b"}]),
    "port 0": service(ports=[{"port": 0}]),
    "port 70000": service(ports=[{"port": 70000}]),
    "a protocol": port(protocol="ICMP"),
    "a target in capitals": port(targetPort="A_"),
    "a long target": port(targetPort="a-name-that-is-long"),
    "a target of hyphens": port(targetPort="-a--b-"),
    "a target of digits": port(targetPort="80"),
    "a large target": port(targetPort=70000),
    "a protocol of applications": port(appProtocol="a b"),
    "a port of nodes": port(nodePort=30001),
    "ports of nodes that may not be": service(
        ports=[
            {"port": 1, "nodePort": 30990, "name": "a"},
            {"port": 2, "nodePort": 30990, "name": "b"},
            {"port": 3, "nodePort": 30992, "name": "c"},
        ]
    ),
    "a port of nodes for two protocols": service(
        type="NodePort",
        ports=[
            {"port": 1, "nodePort": 30990, "name": "a"},
            {"port": 2, "nodePort": 30990, "name": "b", "protocol": "UDP"},
        ],
        clusterIP="10.96.0.50",
    ),
    "a port of nodes twice": service(
        type="NodePort",
        ports=[
            {"port": 1, "nodePort": 30001, "name": "a"},
            {"port": 2, "nodePort": 30001, "name": "b"},
        ],
    ),
    "no external name": service(type="ExternalName"),
    "external name of a dot": external(externalName="."),
    "external name in capitals": external(externalName="A_b"),
    "external name with address": external(clusterIP="10.96.0.9"),
    "external name without address": external(clusterIP="None"),
    "external name with family": external(ipFamilies=["IPv4"]),
    "external name with policy": external(ipFamilyPolicy="SingleStack"),
    "external name with traffic": external(externalTrafficPolicy="Local"),
    "no address": with_ports(clusterIP="x"),
    "addresses alone": with_ports(clusterIPs=["None"]),
    "three addresses": with_ports(clusterIPs=["a", "b", "c"]),
    "None and an address": with_ports(clusterIP="None", clusterIPs=["10.96.0.5"]),
    "None and more": with_ports(clusterIP="None", clusterIPs=["None", "10.96.0.5"]),
    "two of one family": with_ports(clusterIP="10.96.0.7", clusterIPs=["10.96.0.7", "10.96.0.8"]),
    "leading zeros": with_ports(clusterIP="10.96.00.7"),
    "the other family": with_ports(clusterIP="10.96.0.7", ipFamilies=["IPv6"]),
    "an address of IPv6": with_ports(clusterIP="2001:db8::1"),
    "a family": with_ports(ipFamilies=["IPv9"]),
    "a family that is not there": with_ports(ipFamilies=["IPv6"]),
    "a family twice": with_ports(ipFamilies=["IPv4", "IPv4"]),
    "two families": with_ports(ipFamilies=["IPv4", "IPv6"]),
    "a policy": with_ports(ipFamilyPolicy="Odd"),
    "two stacks": with_ports(ipFamilyPolicy="RequireDualStack"),
    "a port without address": with_ports(clusterIP="None", type="NodePort"),
    "a balancer without address": with_ports(clusterIP="None", type="LoadBalancer"),
    "traffic from outside": with_ports(externalTrafficPolicy="Local"),
    "odd traffic from outside": service(
        type="NodePort", ports=PORTS, externalTrafficPolicy="Odd"
    ),
    "odd traffic within": with_ports(internalTrafficPolicy="Odd"),
    "odd distribution": with_ports(trafficDistribution="Odd"),
    "health without balancer": with_ports(healthCheckNodePort=30100),
    "health of all": balancer(healthCheckNodePort=30100),
    "affinity": with_ports(sessionAffinity="Odd"),
    "affinity for no time": affinity(timeoutSeconds=0),
    "affinity for days": affinity(timeoutSeconds=90000),
    "selector's key": with_ports(selector={"a b": "c"}),
    "selector's value": with_ports(selector={"a": "b c"}),
    "type": with_ports(type="Odd"),
    "external address": with_ports(externalIPs=["x"]),
    "external addresses": with_ports(
        externalIPs=["127.0.0.1", "0.0.0.0", "169.254.1.1", "224.0.0.1", "1.2.3.04"]
    ),
    "external addresses of IPv6": with_ports(
        externalIPs=["::1", "::", "fe80::1", "ff02::1", "::ffff:1.2.3.4"]
    ),
    "source ranges": balancer(
        loadBalancerSourceRanges=["x", "10.0.0.0/33", "10.0.0.1/8", "10.00.0.0/8", "10.0.0.0/08"]
    ),
    "source ranges with a sign": balancer(loadBalancerSourceRanges=["0.0.0.0/-0"]),
    "source ranges without balancer": with_ports(loadBalancerSourceRanges=["10.0.0.0/8"]),
    "source ranges in an annotation": balancer({RANGES: "10.0.0.0/8,x"}),
    "class of balancers": balancer(loadBalancerClass="a b"),
    "class without balancer": with_ports(loadBalancerClass="a/b"),
    "ports without balancer": with_ports(allocateLoadBalancerNodePorts=True),
    "annotations that differ": service(
        {
            "service.kubernetes.io/topology-mode": "Auto",
            "service.kubernetes.io/topology-aware-hints": "Disabled",
        },
        ports=PORTS,
    ),
    "a name with dots": service(name="a.b", ports=PORTS),
    "a long name": service(name="a-", ports=PORTS),
}

# What these get does not depend on what is free.
ACCEPTED = {
    "a name that begins with a digit": service(name="1a", ports=PORTS, clusterIP="None"),
    "without address or selector": service(clusterIP="None"),
    "without address": with_ports(clusterIP="None", selector={"a": "b"}),
    "external name": external(externalName="example.com.", internalTrafficPolicy="Local"),
    "external name with addresses": external(externalIPs=["1.2.3.4"]),
    "external name that is ignored": with_ports(clusterIP="None", externalName="a.b"),
    "distribution": with_ports(clusterIP="None", trafficDistribution="PreferClose"),
    "affinity to clients": with_ports(
        clusterIP="None", sessionAffinity="ClientIP", externalIPs=["2001:DB8::1"]
    ),
    "affinity to nobody": with_ports(clusterIP="None", sessionAffinityConfig={}),
}

CHANGED = {
    "of-addresses": with_ports(name="of-addresses", clusterIP="10.96.0.40"),
    "of-none": with_ports(name="of-none", clusterIP="None"),
    "of-nodes": service(
        name="of-nodes", type="NodePort", ports=NODE_PORTS, clusterIP="10.96.0.41"
    ),
    "of-names": external(name="of-names"),
    "of-balancers": service(
        name="of-balancers",
        type="LoadBalancer",
        ports=[{"port": 80, "nodePort": 30081}],
        clusterIP="10.96.0.42",
        loadBalancerClass="a/b",
    ),
}
CHANGES = [
    {"clusterIP": "1.2.3.4"},
    {"allocateLoadBalancerNodePorts": False, "ports": PORTS},
    {"loadBalancerClass": "a b"},
    {"clusterIP": "10.96.0.77"},
    {"clusterIP": "None"},
    {"clusterIP": "None", "clusterIPs": ["None"]},
    {"ipFamilies": ["IPv6"]},
    {"ipFamilyPolicy": "RequireDualStack"},
    {"loadBalancerClass": "c/d"},
    {"selector": {"a": "b"}},
    {"ports": []},
    {"externalTrafficPolicy": "Odd"},
    {"type": "ClusterIP", "clusterIP": "10.96.0.78", "ports": PORTS},
    {"type": "NodePort", "ports": PORTS, "externalTrafficPolicy": "Odd"},
    {"type": "LoadBalancer", "ports": PORTS, "externalTrafficPolicy": "Odd"},
    {"type": "ExternalName", "externalName": "A_b"},
]

ADDRESSES = [
    {"ip": "1.2.3.4"},
    {"ip": "x"},
    {"ip": "1.2.3.4", "ipMode": "Odd"},
    {"ipMode": "VIP"},
    {"hostname": "A_b"},
    {"hostname": "1.2.3.4"},
    {"hostname": "example.com"},
]

REQUESTS = [
    *[
        R(f"service: {name}", "POST", f"{SERVICES}?dryRun=All", body)
        for name, body in {**REFUSED, **ACCEPTED}.items()
    ],
    *[R(f"service {name}", "POST", SERVICES, body, is_compared=False)
      for name, body in CHANGED.items()],
    *[
        R(f"service {name}: {change}", "PATCH", f"{SERVICES}/{name}?dryRun=All",
          {"spec": change}, MERGE)
        for name in CHANGED
        for change in CHANGES
    ],
    *[
        R(f"service {name} at {address}", "PATCH", f"{SERVICES}/{name}/status?dryRun=All",
          {"status": {"loadBalancer": {"ingress": [address]}}}, MERGE)
        for name in ("of-balancers", "of-nodes")
        for address in ADDRESSES
    ],
]
